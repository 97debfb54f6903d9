// A key that occurs twice in an object is a mistake of the author. No reader of an input takes the last value silently.
import { describe, expect, it } from 'vitest'
import { complaint, Folder, inTurn, small } from './cloister.ts'

const key = (name: string): string => `the key "${name}" is given twice in one object`
const jsonRow = '{"jobs":[\n {"job_id":1,"nodes":"n1",\n  "nodes":"n2"}]}\n'

describe('a key that occurs twice in an object is an error with file, line and key', () => {
  it.each<[string, string, string, ReadonlyArray<string>]>([
    [
      'outages',
      '{"t":1,"type":"down","nodes":"1"}\n{"t":2,"type":"up","nodes":"1","nodes":"2"}\n',
      `--outages: file, line 2: column 32: ${key('nodes')}`,
      ['simulate', ...small, '--policy', 'jigsaw', '--outages', 'file'],
    ],
    [
      'an experiment',
      '{"cells":[{"trace":"synth:4:30","topology":"radix:6",\n"policy":"jigsaw",\n"policy":"baseline"}]}\n',
      `file: line 3, column 1: ${key('policy')}`,
      ['sweep', 'file'],
    ],
    [
      'a configuration in an experiment',
      '{"cells":[{"trace":"synth:4:30","topology":"radix:6",\n"policy":"jigsaw","config":{"order":1,"order":2}}]}\n',
      `file: line 2, column 39: ${key('order')}`,
      ['sweep', 'file'],
    ],
    [
      'the output of sacct',
      jsonRow,
      `file, line 3: found no valid JSON (column 3: ${key('nodes')}), expected the output of sacct --json`,
      ['trace', 'info', 'file'],
    ],
    [
      'imported accounting',
      jsonRow,
      `file, line 3: found no valid JSON (column 3: ${key('nodes')})`,
      ['import', 'slurm', '--jobs', 'file', '--topology', 'radix:4', '--out', 'a'],
    ],
    [
      'a signature',
      '{"format":"cloister-log-signature",\n"version":1,"version":1}\n',
      `file is no signature of a log: line 2, column 13: ${key('version')}`,
      ['verify', 'run.ndjson', '--signature', 'file', '--key', 'key.pub'],
    ],
    [
      'a topology.yaml',
      '- topology: a\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        switch: t\n',
      'Map keys must be unique',
      ['topology', 'show', 'slurm:file'],
    ],
  ])('a repeated key is an error with file, line and key: in %s', async (_, text, says, command) => {
    const folder = new Folder()
    folder.write('file', text)
    if (command[0] === 'verify') {
      await folder.log()
      await folder.cloister('sign', 'run.ndjson', '--key', 'key', '--new-key')
    }
    expect(complaint(await folder.cloister(...command))).toContain(says)
  })

  it('a key that occurs twice in a configuration on the command line is an error', async () => {
    const folder = new Folder()
    await folder.log()
    const config = ['--policy-config', '{"order":"densest","order":"sparsest"}']
    const commands = [
      ['simulate', ...small, '--policy', 'jigsaw', ...config],
      ['rerun', 'run.ndjson', '--policy', 'jigsaw', ...config],
      ['policy', 'test', 'jigsaw', ...config],
      ['policy', 'show', 'jigsaw', ...config],
      ['fuzz', '--policy', 'jigsaw', '--runs', '1', ...config],
      ['drive', 'slurm', '--partition', 'a', '--topology', 'radix:4', '--out', 'a', '--policy', 'jigsaw', ...config],
    ]
    await inTurn(commands, async (command) =>
      expect(complaint(await folder.cloister(...command))).toContain(
        `--policy-config: line 1, column 20: ${key('order')}`,
      ),
    )
  })

  it('a key that occurs twice in the notes file of a log is an error', async () => {
    const folder = new Folder()
    await folder.log()
    folder.write('run.ndjson.notes.json', '{"notes":[],\n"notes":[]}')
    const exported = await folder.cloister('export', 'run.ndjson', '--to', 'html', '--out', 'a.html')
    expect(complaint(exported)).toContain(
      `run.ndjson.notes.json is no file of notes: line 2, column 1: ${key('notes')}`,
    )
  })
})
