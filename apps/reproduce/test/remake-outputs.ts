/**
 * Runs the commands of stored outputs again with the built program, and prints which outputs differ.
 *
 *     pnpm --filter @cloister/reproduce run remake [WORD…] [--write] [--in FOLDER]
 *
 * Without words the script runs all commands, which takes hours; with words, only the commands that contain one of the
 * words. --write stores the new outputs. A quoted word that begins with "cloister " is a whole command, which runs alone
 * and may be new. --in names a folder for results of runs, from which a later call resumes.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { folder, storedOutputs } from './experiment-pages.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, in: { type: 'string' } },
})
const traces = resolve(process.env['CLOISTER_TRACE_DIR'] ?? resolve(import.meta.dirname, '../../../../shared/traces'))
const program = resolve(import.meta.dirname, '../../cli/dist/cloister.js')
const place = resolve(values.in ?? mkdtempSync(join(tmpdir(), 'cloister-remake-')))

const stored = storedOutputs()
const isWhole = (word: string): boolean => word.startsWith('cloister ')
const known = stored.filter(
  ({ command }) =>
    positionals.length === 0 || positionals.some((word) => (isWhole(word) ? command === word : command.includes(word))),
)
const added = positionals
  .filter((word) => isWhole(word) && !stored.some(({ command }) => command === word))
  .map((command) => ({ command, text: '' }))

/** Tests that a command prints measured times, which differ between runs. */
const measuresTime = (command: string): boolean => command === 'cloister reproduce jigsaw-table3'

const partial = added.find(({ command }) => command.includes('--first-jobs'))
if (partial !== undefined) throw new Error(`${partial.command}: the first jobs of a log are no evidence to store`)

for (const { command, text } of [...known, ...added]) {
  const words = command.split(' ').slice(1)
  const { status, stdout } = spawnSync(process.execPath, [program, ...words], {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1', CLOISTER_TRACE_DIR: traces },
  })
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
  const isSame = stdout === text
  console.log(`${isSame ? 'same   ' : 'differs'}  ${command}`)
  if (values.write)
    writeFileSync(
      join(folder, 'outputs', `${words.join('-').replaceAll(/-{2,}/g, '-')}.txt`),
      `$ ${command}\n${stdout}`,
    )
  else if (!isSame && !measuresTime(command)) process.exitCode = 1
}
