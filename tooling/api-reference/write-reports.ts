// npm run pnpm -- run api: writes api.txt of each published package, the list of the package's exported names.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { apiReports } from './src/api-report.ts'

const root = resolve(import.meta.dirname, '../..')
for (const { file, text } of apiReports(root)) writeFileSync(join(root, file), text)
