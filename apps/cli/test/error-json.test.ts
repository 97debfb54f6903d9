import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Folder, type Answer, bundle } from './cloister.ts'

/** Returns the JSON of a failed command. Expects that standard error has the same message. */
function errorOf({ code, stdout, stderr }: Answer): Record<string, unknown> {
  const error = JSON.parse(stdout) as { readonly error: string; readonly exitCode: number }
  expect(error.exitCode).toBe(code)
  for (const line of error.error.split('\n')) expect(stderr).toContain(line)
  return { ...error }
}

const run = ['simulate', '--topology', 'radix:6', '--policy', 'jigsaw'] as const

describe('errors under --json', () => {
  it.each([
    ['an unknown option', ['state', 'run.ndjson', '--att', '3'], { kind: 'UnrecognizedOption', option: 'att' }],
    [
      'a wrong value of a flag',
      ['state', 'run.ndjson', '--seq', 'x'],
      { kind: 'InvalidValue', option: 'seq', found: 'x' },
    ],
    ['a missing option', ['simulate', '--trace', 'synth:4'], { kind: 'MissingOption', option: 'topology' }],
    ['a missing argument', ['audit'], { kind: 'MissingArgument', option: 'log' }],
    ['an unknown command', ['simulat'], { kind: 'UnknownSubcommand', found: 'simulat' }],
    ['a missing log', ['metrics', 'none.ndjson'], { kind: 'LogFileError', file: 'none.ndjson' }],
    ['a missing trace', [...run, '--trace', 'none.swf'], { kind: 'SpecError', found: 'none.swf' }],
    ['a wrong line of a trace', [...run, '--trace', 'bad.swf'], { kind: 'TraceError', file: 'bad.swf', line: 2, found: '1 x 3' }], // oxfmt-ignore
    ['a wrong value of an option of a run', [...run, '--trace', 'synth:4', '--queue', 'lifo'], { kind: 'OptionError', option: 'queue', found: 'lifo' }], // oxfmt-ignore
    ['an option with a name of several words', [...run, '--trace', 'synth:4', '--procs-per-node', '0'], { option: 'procs-per-node', found: '0' }], // oxfmt-ignore
    ['a wrong value of an option', ['fuzz', '--only', '0'], { kind: 'Problem', option: 'only', found: '0', expected: 'at least 1' }], // oxfmt-ignore
    ['a corrupt log', ['metrics', 'notes.txt'], { file: 'notes.txt', line: 1 }],
  ])('%s gives one JSON object with the place of the error, and exit code 2', async (_, words, expected) => {
    const folder = new Folder()
    folder.write('bad.swf', '; MaxProcs: 9\n1 x 3\n')
    folder.write('notes.txt', 'hello\n')
    const answer = await folder.cloister(...words, '--json')
    expect(errorOf(answer)).toMatchObject({ ...expected, error: expect.any(String), exitCode: 2 })
    expect(await folder.cloister(...words)).toMatchObject({ code: 2, stdout: '' })
  })

  it('a failure of a policy gives JSON, and no JSON follows a log on standard output', () => {
    const folder = new Folder()
    folder.write(
      'mine.mjs',
      `export default { contract: 1, name: 'mine', version: '1.0.0', config: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
      make: () => ({ claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false }, place: () => { throw new Error('bad') } }) }`,
    )
    const words = ['simulate', '--trace', 'synth:4:9', '--topology', 'radix:6', '--policy', './mine.mjs', '--json']
    const failed = folder.run([bundle, ...words])
    expect(errorOf(failed)).toMatchObject({ kind: 'PolicyFailedError', error: expect.stringContaining('bad') })
    const piped = ['-c', '"$0" "$@" --out /dev/stdout | cat', process.execPath, bundle, ...words]
    const { stdout } = spawnSync('sh', piped, { cwd: folder.path, encoding: 'utf8' })
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({ type: 'seal' })
  })
})
