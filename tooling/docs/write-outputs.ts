// Writes the outputs of the `console run` blocks of documents, except outputs with …:
//   npm run pnpm -- --filter @cloister/docs run write-outputs README.md docs/first-session.md
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installCloister, runCommand, withOutputs } from './sessions.ts'

const root = resolve(import.meta.dirname, '../..')
const programs = mkdtempSync(join(tmpdir(), 'cloister-docs-'))
installCloister(root, programs)
for (const path of process.argv.slice(2)) {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-docs-'))
  const file = join(root, path)
  const markdown = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    withOutputs(markdown, (command) => runCommand(command, folder, programs).printed),
  )
  rmSync(folder, { recursive: true })
}
rmSync(programs, { recursive: true })
