import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

const machines = [
  'radix:8 without nodes 3,17-19; leaf 4; leaf 5 ports 2; l2 9 ports 0; spine 3',
  'pgft:3;4,4,3;1,4,2;1,1,2 without nodes 0,1,21; leaf 2 ports 3; l2 6; l2 8 ports 1-3',
  'pgft:3;4,4,4;1,2,2;1,1,1 without nodes 2-3,20; leaf 7; l2 3 ports 1',
]
const policies = ['jigsaw', 'laas', 'least-constrained', 'mosaic', 'ta']
const cases = machines.flatMap((machine) =>
  policies
    .filter((policy) => policy !== 'mosaic' || machine === machines[0])
    .map((policy) => [policy, machine] as const),
)

describe('a policy with owned links on a machine with absent parts', () => {
  it.each(cases)('the routes and the bandwidth of each job of %s on %s pass the audit', async (policy, machine) => {
    const scratch = new Folder()
    const jobs = ['--trace', 'synth:9:80', '--communication', '60%:all-to-all:50%'] as const
    const rules = [
      '--router',
      'partition',
      '--run-times',
      'contention',
      '--queue',
      'easy:10',
      '--overrun',
      'run-on',
    ] as const
    const run = [...jobs, ...rules, '--policy', policy, '--topology', machine] as const
    expect(await scratch.cloister('simulate', ...run, '--out', 'run.ndjson')).toMatchObject({ code: 0 })
    const report = await scratch.json('audit', 'run.ndjson', '--permutations', '2')
    expect(report).toMatchObject({ ok: true, untestedClaims: [], violations: [] })
    const { checked } = report as { readonly checked: Record<string, number> }
    const rule = ['laas', 'ta'].includes(policy) ? policy : 'nested-remainders'
    for (const name of [rule, 'routes-inside', 'permutations', 'link-exclusive'])
      expect(checked[name], name).toBeGreaterThanOrEqual(20)
  })
})
