import { describe, expect, it } from 'vitest'
import { complaint, runInMemory } from './cloister.ts'

describe('a command with the service Files in memory', () => {
  it('a command reads and writes no files except through the service Files', async () => {
    const files = new Map([
      ['tree.conf', 'SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-5]\nSwitchName=top Switches=a,b\n'],
    ])
    const { code, stdout } = await runInMemory(files, 'topology', 'show', 'slurm:tree.conf', '--json')
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, nodes: 6, leaves: 2 })
    expect((await runInMemory(files, 'trace', 'generate', 'synth:4:10', '--out', 'ten.swf')).code).toBe(0)
    expect(files.get('ten.swf')).toContain('synth:4:10')
    const written = files.get('ten.swf')
    expect(complaint(await runInMemory(files, 'trace', 'generate', 'synth:4:20', '--out', 'ten.swf'))).toContain(
      'ten.swf exists; --force overwrites it',
    )
    expect(files.get('ten.swf')).toBe(written)
    expect(complaint(await runInMemory(files, 'sweep', 'nothing.json'))).toContain(
      'nothing.json: there is no such file',
    )
  })
})
