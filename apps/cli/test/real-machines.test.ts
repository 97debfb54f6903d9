/** Runs of all policies on the shapes of real machines with uneven leaves, and on topograph's models. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allPolicies, isolating } from './all-policies.ts'
import { Folder } from './cloister.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
const files = `${folder}/topology`

/** Machines by spec. The files of real machines are not committed. Uplinks of Lingjun and topograph are assumptions. */
const machines: ReadonlyArray<{ readonly name: string; readonly nodes: number; readonly spec: string }> = [
  { name: 'Lingjun', nodes: 847, spec: `table:${files}/alibaba-lingjun-2023-topo.csv,parents=8,48` },
  { name: 'small-tree', nodes: 6, spec: `topograph:${files}/topograph/small-tree.yaml,parents=3` },
  { name: 'medium', nodes: 8, spec: `topograph:${files}/topograph/medium.yaml,parents=2,2` },
  { name: 'large', nodes: 96, spec: `topograph:${files}/topograph/large.yaml,parents=8,2` },
  { name: 'nvl72', nodes: 72, spec: `topograph:${files}/topograph/nvl72.yaml,parents=18,2` },
  { name: 'dual-xclr-regular', nodes: 96, spec: `topograph:${files}/topograph/dual-xclr-regular.yaml,parents=8,2` },
  {
    name: 'dual-xclr-irregular',
    nodes: 255,
    spec: `topograph:${files}/topograph/dual-xclr-irregular.yaml,parents=9,15`,
  },
  {
    name: 'a public cluster of 64 nodes',
    nodes: 64,
    spec: 'pgft:2;11,15;1,11;1,1 without nodes 1-10,12-21,24-32,35-43,46-54,58-65,69-76,80-87,93-98,104-109,116-120,127-131,138-142,151-153',
  },
]

describe.each(machines)('on $name', ({ nodes, spec }) => {
  const file = /^\w+:(\/[^,]*)/.exec(spec)?.[1]
  it.skipIf(file !== undefined && !existsSync(file)).each(allPolicies)(
    'jobs of %s pass the audit, with the bandwidth that they claim',
    async (policy) => {
      const scratch = new Folder()
      expect(await scratch.json('topology', 'show', spec)).toMatchObject({ nodes })
      const run = ['--trace', 'synth:7:150', '--queue', 'easy:10', '--policy', policy, '--topology', spec]
      const simulated = await scratch.cloister('simulate', ...run, '--out', 'run.ndjson')
      expect(simulated).toMatchObject({ code: 0 })
      const permutations = isolating.includes(policy) ? ['--permutations', '2'] : []
      const report = await scratch.json('audit', 'run.ndjson', '--rerun', ...permutations)
      expect(report).toMatchObject({ ok: true, violations: [] })
    },
  )
})
