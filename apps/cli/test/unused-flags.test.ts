import { describe, expect, it } from 'vitest'
import { Folder, complaint, inTurn, small } from './cloister.ts'

// A flag that changes nothing misleads whoever gives it: each is an error that says what it is for.
describe('a flag that would not be used is refused', () => {
  const refusal = async (folder: Folder, ...args: ReadonlyArray<string>): Promise<string> =>
    complaint(await folder.cloister(...args))

  it('where the log is not there to be overwritten', async () => {
    const folder = new Folder()
    const commands = [
      ['simulate', ...small, '--policy', 'jigsaw', '--force'],
      ['trace', 'convert', 'synth:4:10', '--force'],
      ['trace', 'generate', 'synth:4:10', '--force'],
    ]
    for (const message of await inTurn(commands, (command) => refusal(folder, ...command)))
      expect(message).toContain('--force: --out FILE says which')
    expect(await refusal(folder, 'sweep', 'any.json', '--force', '--resume')).toContain('--force and --resume exclude')
  })

  it('where what it belongs to was not asked for', async () => {
    const folder = new Folder()
    await folder.log()
    expect(await refusal(folder, 'state', 'run.ndjson', '--switch', 'leaf1')).toContain('--switch is for --routes')
    expect(await refusal(folder, 'rerun', 'run.ndjson', '--limit', '3')).toContain("--limit is for another policy's")
    expect(await refusal(folder, 'explain', 'run.ndjson', '--job', '7', '--limit', '3', '--json')).toContain(
      '--limit is for the tables that people read',
    )
    expect(await refusal(folder, 'reproduce', 'list', 'jigsaw-fig6', '--processes', '5')).toContain(
      'jigsaw-fig6 and --processes have nothing to do with list',
    )
  })

  it('where a policy is named that is not asked', async () => {
    const folder = new Folder()
    await folder.log()
    await folder.json('simulate', ...small, '--policy', 'jigsaw', '--refusals', '--out', 'reasons.ndjson')
    expect(await refusal(folder, 'explain', 'reasons.ndjson', '--job', '7', '--policy', 'jigsaw')).toContain(
      '--policy is not asked: this log has the reasons itself',
    )
    expect(await refusal(folder, 'view', 'run.ndjson', '--policy', 'ta', '--no-open')).toContain(
      '--policy: found ta, expected jigsaw, the policy of the log',
    )
  })
})
