// Puts the output of `cloister bench` into docs/speed.md:
//   npm run --silent cloister -- bench --group small,growth,policies,options --runs 1 > bench.txt
//   npm run pnpm -- --filter @cloister/docs run quote-bench bench.txt
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readSpeedPage, withOutput } from './bench-table.ts'

const root = resolve(import.meta.dirname, '../..')
const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('quote-bench: expected a file with the output of cloister bench')
const printed = readFileSync(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8')
writeFileSync(join(root, 'docs/speed.md'), withOutput(readSpeedPage(root), printed))
