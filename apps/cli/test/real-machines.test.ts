/** Runs of all policies on the shapes of real machines with uneven leaves. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseHostlist } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))

/** Returns a spec of leaves of the given sizes, in pods of as many leaves as the largest pod has. */
function without(shape: string, pods: ReadonlyArray<ReadonlyArray<number>>): string {
  const perPod = Math.max(...pods.map(({ length }) => length))
  const perLeaf = Math.max(...pods.flat())
  const nodes: Array<number> = []
  const leaves: Array<number> = []
  for (const [pod, sizes] of pods.entries()) {
    for (let i = 0; i < perPod; i++) {
      const leaf = pod * perPod + i
      if (i >= sizes.length) leaves.push(leaf)
      else for (let node = sizes[i]; node < perLeaf; node++) nodes.push(leaf * perLeaf + node)
    }
  }
  const parts = [`nodes ${nodes.join()}`, ...(leaves.length === 0 ? [] : [`leaf ${leaves.join()}`])]
  return `${shape} without ${parts.join('; ')}`
}

/** Sizes of the leaves of each pod, of a table with a host, pod and leaf in each line. */
function sizes(rows: ReadonlyArray<readonly [pod: string, leaf: string]>): ReadonlyArray<ReadonlyArray<number>> {
  return [...Map.groupBy(rows, ([pod]) => pod).values()].map((own) =>
    [...Map.groupBy(own, ([, leaf]) => leaf).values()].map(({ length }) => length),
  )
}

/** Machines, and the function that makes the spec from the text of the file. Each file is a file of `shared/traces` that tests need; 8 uplinks a leaf of Lingjun are an assumption. */
const machines: ReadonlyArray<{
  readonly name: string
  readonly file: string | undefined
  readonly nodes: number
  readonly spec: (text: string) => string
}> = [
  {
    name: 'Lingjun',
    file: 'topology/alibaba-lingjun-2023-topo.csv',
    nodes: 847,
    spec: (text: string) =>
      without(
        'pgft:3;8,48,3;1,8,48;1,1,1',
        sizes(
          text
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => [line.split(',')[2], line.split(',')[3]] as const),
        ),
      ),
  },
  {
    name: "topograph's irregular model",
    file: 'topology/topograph/dual-xclr-irregular.yaml',
    nodes: 255,
    spec: (text: string) =>
      without(
        'pgft:3;9,15,2;1,9,15;1,1,1',
        sizes(
          [...text.matchAll(/- switch: (rack-(\d)-\d+)\n {2}nodes:\n((?: {2}- \S+\n)+)/g)].flatMap(
            ([, leaf, pod, lines]) => parseHostlist(lines.match(/\S+$/gm)!.join()).map(() => [pod, leaf] as const),
          ),
        ),
      ),
  },
  {
    name: 'a public cluster of 64 nodes',
    file: undefined,
    nodes: 64,
    spec: () => without('pgft:2;11,15;1,11;1,1', [[1, 1, 2, 2, 2, 3, 3, 3, 5, 5, 6, 6, 6, 8, 11]]),
  },
]
const policies = [
  'adaptive',
  'balanced',
  'baseline',
  'combal',
  'contiguous',
  'greedy',
  'jigsaw',
  'kueue-tas',
  'laas',
  'least-constrained',
  'mosaic',
  'slurm-block',
  'slurm-tree',
  'ta',
]
const isolating = ['jigsaw', 'laas', 'least-constrained', 'mosaic', 'ta']

describe.each(machines)('on $name', ({ file, nodes, spec }) => {
  // The files of real machines are not committed.
  it.skipIf(file !== undefined && !existsSync(`${folder}/${file}`)).each(policies)(
    'jobs of %s pass the audit, with the bandwidth that they claim',
    async (policy) => {
      const path = file === undefined ? undefined : `${folder}/${file}`
      const scratch = new Folder()
      const machine = spec(path === undefined ? '' : readFileSync(path, 'utf8'))
      expect(await scratch.json('topology', 'show', machine)).toMatchObject({ nodes })
      const run = ['--trace', 'synth:7:150', '--queue', 'easy:10', '--policy', policy, '--topology', machine]
      const simulated = await scratch.cloister('simulate', ...run, '--out', 'run.ndjson')
      expect(simulated).toMatchObject({ code: 0 })
      const permutations = isolating.includes(policy) ? ['--permutations', '2'] : []
      const report = await scratch.json('audit', 'run.ndjson', '--rerun', ...permutations)
      expect(report).toMatchObject({ ok: true, violations: [] })
    },
  )
})
