/** Updates the tables in SPEC.md: `pnpm run spec`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withFields } from './spec-fields.ts'

const path = new URL('../SPEC.md', import.meta.url)
writeFileSync(path, withFields(readFileSync(path, 'utf8')))
