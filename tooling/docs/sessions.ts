// Runs the commands of `console run` blocks, and writes their outputs into documents.
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { blocksOf, stepsOf } from './blocks.ts'

/** Writes a program `cloister` into a folder; the program runs the built command line. Needs a Unix shell. */
export function installCloister(root: string, folder: string): void {
  const program = join(root, 'apps/cli/dist/cloister.js')
  writeFileSync(join(folder, 'cloister'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(folder, 'cloister'), 0o755)
}

/**
 * Runs a command of a document with a shell.
 *
 * @param folder folder in which the command runs
 * @param programs folder with the program `cloister`, which replaces `npm run cloister --`
 * @returns exit status, and the text on standard output followed by the text on standard error
 */
export function runCommand(
  command: string,
  folder: string,
  programs: string,
): { readonly status: number | null; readonly printed: string } {
  const { status, stdout, stderr } = spawnSync(command.replaceAll('npm run cloister -- ', 'cloister '), {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    env: {
      ...process.env,
      NO_COLOR: '1',
      CLONE: join(import.meta.dirname, '../..'),
      PATH: programs + delimiter + process.env['PATH'],
    },
  })
  return { status, printed: stdout + stderr }
}

/** Returns a document with new outputs of its sessions. An output with … stays, because a person chose its lines. */
export function withOutputs(markdown: string, run: (command: string) => string): string {
  let text = markdown
  for (const block of blocksOf(markdown).filter(({ kind, program }) => kind === 'session' && program === undefined)) {
    const steps = stepsOf(block.text).map(({ command, output }) => {
      const printed = run(command)
      return `$ ${command.replaceAll('\n', '\n> ')}\n${output.includes('…') ? output : printed}`
    })
    text = text.replace(`\`\`\`console run\n${block.text}\`\`\``, () => `\`\`\`console run\n${steps.join('')}\`\`\``)
  }
  return text
}
