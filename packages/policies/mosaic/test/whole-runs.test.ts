/**
 * Tests the rule of CONDITION.md on whole runs. Random permutations instead of the rule would miss allocations that
 * lack a single spine.
 */
import { existsSync } from 'node:fs'
import type { Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { loadWorkload } from '@cloister/trace-io/node'
import { drawBandwidth, generateSynthetic } from '@cloister/workload'
import { describe, expect, test } from 'vitest'
import { cableBreach } from './cable-rule.ts'
import { checkRun, easy, largestFirst, watchRun } from './checked-runs.ts'
import { withSpines } from './cut-links.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? '../../../../shared/traces'

describe.each([
  ['EASY', easy],
  ['EASY with the largest first and reservations planned again', largestFirst],
] as const)(
  'under the discipline %s, every allocation and reservation of Mosaic meets the rule of CONDITION.md',
  (_, queue) => {
    test.each([
      ['radix:8', 20],
      ['radix:10', 40],
      ['radix:18', 120],
      ['cab', 120],
      ['pgft:3;96,4,3;1,96,4;1,1,24', 120],
    ])('Mosaic meets the rule in a synthetic run on the topology %s', (spec, mean) => {
      const { checked, breaches } = checkRun(spec, generateSynthetic({ mean, count: 1000, seed: 7 }), queue)
      expect(breaches).toEqual([])
      expect(checked).toBeGreaterThan(900)
    })

    test('Mosaic without nested sets meets the rule in a synthetic run', () => {
      const workload = generateSynthetic({ mean: 20, count: 1000, seed: 7 })
      const { checked, breaches } = checkRun('radix:8', workload, queue, { without: ['nested-sets'] })
      expect(breaches).toEqual([])
      expect(checked).toBeGreaterThan(900)
    })

    test('Mosaic with shared links meets the rule in a synthetic run', () => {
      const workload = generateSynthetic({ mean: 20, count: 1000, seed: 7 })
      const jobs = drawBandwidth(workload.jobs, 1)
      const { checked, breaches } = checkRun('radix:8', { ...workload, jobs }, queue, {
        sharing: { capacity: 4000, classes: [500, 1000, 1500, 2000] },
      })
      expect(breaches).toEqual([])
      expect(checked).toBeGreaterThan(900)
    })

    test.skipIf(!existsSync(folder))(
      `Mosaic meets the rule in a run of KTH-SP2, if it is in ${folder} (CLOISTER_TRACE_DIR)`,
      () => {
        const { workload } = loadWorkload('kth', { folders: [folder], arrivals: 'zero' })
        const { checked, breaches } = checkRun('radix:8', workload, queue)
        expect(breaches).toEqual([])
        expect(checked).toBeGreaterThanOrEqual(workload.jobs.length)
      },
    )
  },
)

test('the check of CONDITION.md finds rows of two pods that own only as many spines as the smaller pod has leaves', () => {
  const rows = { unsound: 0, found: 0 }
  watchRun('radix:18', generateSynthetic({ mean: 120, count: 1000, seed: 7 }), easy, (topology, resources) => {
    const smaller = smallerOfTwoPods(topology, resources)
    if (smaller === undefined) return
    rows.unsound++
    if (cableBreach(topology, withSpines(topology, resources, smaller)) !== undefined) rows.found++
  })
  expect(rows.unsound).toBeGreaterThan(10)
  expect(rows.found).toBe(rows.unsound)
})

/**
 * Returns the number of whole leaves of the smaller pod of two, if the pods have different numbers of whole leaves, and
 * the job has a single remainder leaf outside of the larger pod; undefined for every other placement.
 */
function smallerOfTwoPods(topology: Topology, { nodes }: Resources): number | undefined {
  const onLeaf = new Map<number, number>()
  for (const node of Array.from(nodes, (id) => topology.leafOfNode[id])) onLeaf.set(node, (onLeaf.get(node) ?? 0) + 1)
  const whole = new Map<number, number>()
  let ofRest: number | undefined
  for (const [leaf, count] of onLeaf) {
    const pod = topology.podOfLeaf[leaf]
    if (count < topology.firstNodeOfLeaf[1]) ofRest = ofRest === undefined ? pod : -1
    else whole.set(pod, (whole.get(pod) ?? 0) + 1)
  }
  const [smaller, larger, ...more] = [...whole].sort((a, b) => a[1] - b[1])
  if (larger === undefined || more.length > 0 || smaller[1] === larger[1]) return undefined
  return ofRest === undefined || ofRest < 0 || ofRest === larger[0] ? undefined : smaller[1]
}
