import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

const kits = join(import.meta.dirname, '../../../packages/ordering/kits/python')
const inPython = `exec:python3 ${kits}/wfp.py`
const run = ['simulate', '--trace', 'synth:4:60', '--topology', 'radix:6', '--policy', 'baseline'] as const

describe('--order exec:COMMAND', () => {
  it('simulates and reruns under a queue order that a program computes', async () => {
    const folder = new Folder()
    for (const [order, out] of [
      [inPython, 'python.ndjson'],
      ['wfp', 'built-in.ndjson'],
    ])
      expect(await folder.cloister(...run, '--order', order, '--out', out)).toMatchObject({ code: 0 })
    const recordsOf = (out: string): ReadonlyArray<string> =>
      readFileSync(join(folder.path, out), 'utf8')
        .split('\n')
        .filter((line) => !/"type":"(?:header|seal)"/.test(line))
    expect(recordsOf('python.ndjson')).toEqual(recordsOf('built-in.ndjson'))
    const rerun = await folder.json('rerun', 'python.ndjson', '--order', inPython)
    expect(rerun).toMatchObject({ equal: true })
    expect(complaint(await folder.cloister('rerun', 'python.ndjson'))).toContain('wfp-in-python')
  })

  it('a program that does not introduce itself, or that is a policy, leads to a message', async () => {
    const folder = new Folder()
    expect(complaint(await folder.cloister(...run, '--order', 'exec:false'))).toContain(
      'exec:false: the program ended with exit code 1 before its answer',
    )
    const policy = `exec:python3 ${kits}/../../../placement/kits/python/first_fit.py`
    expect(complaint(await folder.cloister(...run, '--order', policy))).toContain('this program is a placement policy')
  })
})
