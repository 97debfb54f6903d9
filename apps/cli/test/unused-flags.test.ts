import { describe, expect, it } from 'vitest'
import { Folder, complaint, inTurn, small } from './cloister.ts'

// A flag without effect misleads the user. Therefore each flag that has no effect in a command line is an error.
describe('a flag without effect is refused', () => {
  const refusal = async (folder: Folder, ...args: ReadonlyArray<string>): Promise<string> =>
    complaint(await folder.cloister(...args))

  it('--force without --out is refused', async () => {
    const folder = new Folder()
    const commands = [
      ['simulate', ...small, '--policy', 'jigsaw', '--force'],
      ['trace', 'convert', 'synth:4:10', '--force'],
      ['trace', 'generate', 'synth:4:10', '--force'],
    ]
    for (const message of await inTurn(commands, (command) => refusal(folder, ...command)))
      expect(message).toContain('--force: needs --out FILE')
    expect(await refusal(folder, 'sweep', 'any.json', '--force', '--resume')).toContain('--force and --resume exclude')
  })

  it('a flag is refused if the option that the flag needs is absent', async () => {
    const folder = new Folder()
    await folder.log()
    expect(await refusal(folder, 'state', 'run.ndjson', '--switch', 'leaf1')).toContain('--switch needs --routes')
    expect(await refusal(folder, 'audit', 'run.ndjson', '--trace', 'jobs.swf')).toContain('--trace needs --rerun')
    expect(await refusal(folder, 'fuzz', '--forge', '--logs')).toContain(
      '--forge: cannot be used with --only or --logs',
    )
    expect(await refusal(folder, 'rerun', 'run.ndjson', '--limit', '3')).toContain('--limit is only for another policy')
    expect(await refusal(folder, 'explain', 'run.ndjson', '--job', '7', '--limit', '3', '--json')).toContain(
      '--limit cannot be used with --json',
    )
    expect(await refusal(folder, 'reproduce', 'list', 'jigsaw-fig6', '--processes', '5')).toContain(
      'jigsaw-fig6 and --processes cannot be used with list',
    )
  })

  it('--policy is refused if the named policy gets no request', async () => {
    const folder = new Folder()
    await folder.log()
    await folder.json('simulate', ...small, '--policy', 'jigsaw', '--refusals', '--out', 'reasons.ndjson')
    expect(await refusal(folder, 'explain', 'reasons.ndjson', '--job', '7', '--policy', 'jigsaw')).toContain(
      '--policy is not needed: the log has the reasons of the policy',
    )
    expect(await refusal(folder, 'view', 'run.ndjson', '--policy', 'ta', '--no-open')).toContain(
      '--policy: found ta, expected jigsaw, the policy of the log',
    )
  })
})
