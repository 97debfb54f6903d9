import { nestedRemaindersBreach } from '@cloister/audit'
import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import { canRoute, Draw } from '@cloister/placement/testing'
import { FlowChecker, fullBandwidth, randomPermutation, routePermutation } from '@cloister/network'
import { parseTopology, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { mosaic } from '../src/index.ts'
import { cableBreach } from './cable-rule.ts'
import { allocations } from './histories.ts'

test.each([
  'radix:4',
  'radix:6',
  'radix:10',
  'pgft:2;4,5;1,4;1,1',
  'pgft:3;4,2,3;1,2,2;1,2,2',
  'pgft:3;36,2,2;1,12,3;1,3,2',
  'pgft:2;70,2;1,70;1,1',
])('on the empty machine %s, Mosaic places a job of every size', (spec) => {
  const topology = parseTopology(spec)
  const { placer } = bindPolicy(mosaic, topology)
  const state = new ClusterState(topology, { index: placer.index })
  for (let nodes = 1; nodes <= topology.nodes; nodes++) {
    const outcome = ask(placer, state, nodes)
    expect(outcome).toMatchObject({ ok: true })
    if (outcome.ok) expect(cableBreach(topology, outcome)).toBeUndefined()
  }
})

describe.each([
  ['radix:6', 1, 1],
  ['radix:8', 2, 0],
  ['radix:16', 3, 1],
  ['pgft:3;4,4,6;1,2,2;1,2,4', 2, 1],
  ['pgft:3;36,3,4;1,12,3;1,3,3', 3, 0],
  ['pgft:3;70,2,4;1,70,2;1,1,1', 3, 0],
] as const)('on the topology %s', (spec, seed, uneven) => {
  test('every allocation of Mosaic meets the rule of CONDITION.md, the auditor and the router agree, and a permutation has routes', () => {
    const shapes = { several: 0, uneven: 0 }
    for (const { topology, nodes, links } of allocations(spec, seed, 900)) {
      expect(cableBreach(topology, { nodes, links })).toBeUndefined()
      expect(nestedRemaindersBreach(topology, nodes, links)).toBeUndefined()
      const allocated = fullBandwidth(topology, { nodes, links })
      if ('unproved' in allocated) throw new Error(`${JSON.stringify({ nodes, links })}: ${allocated.unproved}`)
      if (allocated.toSpines !== undefined) shapes.several++
      if (allocated.toSpines?.some((cables) => !('usable' in cables)) === true) shapes.uneven++
      const permutation = randomPermutation(nodes.length, seed)
      const { largestLoad, problem } = new FlowChecker(topology).check(
        { nodes, links },
        permutation,
        routePermutation(allocated, permutation),
      )
      expect({ largestLoad: Math.max(1, largestLoad), problem }).toEqual({ largestLoad: 1, problem: undefined })
    }
    expect(shapes.several).toBeGreaterThan(10)
    expect(shapes.uneven).toBeGreaterThanOrEqual(uneven)
  })
})

test.each([
  [['lifetimes'], true],
  [['nested-sets'], true],
  [['scattered-fill'], true],
  [['nested-sets', 'scattered-fill'], false],
] as const)(
  'Mosaic without its parts %s meets the rule of CONDITION.md; some job has several smaller leaves or pods: %s',
  (without, differ) => {
    let differing = 0
    for (const { topology, nodes, links } of allocations('radix:8', 6, 400, { without })) {
      expect(cableBreach(topology, { nodes, links })).toBeUndefined()
      if (doSeveralDiffer(topology, nodes)) differing++
    }
    expect(differing > 0).toBe(differ)
  },
)

/**
 * Returns true if several leaves of a job have fewer nodes than the job's fullest leaf, or if several pods of the job
 * have fewer full leaves than the pod with the most.
 */
function doSeveralDiffer(topology: Topology, nodes: ArrayLike<number>): boolean {
  const onLeaf = new Map<number, number>()
  for (const node of Array.from(nodes)) {
    const leaf = topology.leafOfNode[node]
    onLeaf.set(leaf, (onLeaf.get(leaf) ?? 0) + 1)
  }
  const full = Math.max(...onLeaf.values())
  const inPod = new Map<number, number>()
  for (const [leaf, count] of onLeaf) {
    const pod = topology.podOfLeaf[leaf]
    inPod.set(pod, (inPod.get(pod) ?? 0) + (count === full ? 1 : 0))
  }
  const most = Math.max(...inPod.values())
  const fewer = (counts: Iterable<number>, than: number): number => [...counts].filter((count) => count < than).length
  return fewer(onLeaf.values(), full) > 1 || fewer(inPod.values(), most) > 1
}

test('the check of CONDITION.md, the auditor and the router refuse the same allocations after one link of each allocation is hidden', () => {
  const draw = new Draw(5)
  let caught = 0
  let spared = 0
  for (const { topology, nodes, links } of allocations('radix:8', 4, 400)) {
    if (links.length === 0) continue
    const level = links.length - 1
    const hidden = draw.below(links[level].length)
    const fewer = links.map((ids, each) => (each === level ? Array.from(ids).toSpliced(hidden, 1) : ids))
    const breach = nestedRemaindersBreach(topology, nodes, fewer)
    expect(cableBreach(topology, { nodes, links: fewer }) !== undefined).toBe(breach !== undefined)
    expect('unproved' in fullBandwidth(topology, { nodes, links: fewer })).toBe(breach !== undefined)
    if (breach === undefined) spared++
    else caught++
  }
  expect(caught).toBeGreaterThan(20 * spared)
})

// Leaves of 2 and 4 nodes with 2 cables to each L2 switch; L2 switches with 4 cables to a single spine, or 2 to each.
test.each(['pgft:3;2,2,4;1,1,1;1,2,4', 'pgft:3;4,2,3;1,2,2;1,2,2'])(
  'on the topology %s with parallel cables, all permutations of small jobs of Mosaic have routes, and not without a link',
  (spec) => {
    const counts = { routed: 0, blocked: 0, spared: 0 }
    const known = new Set<string>()
    for (const { topology, nodes, links } of allocations(spec, 8, 500)) {
      const key = JSON.stringify([nodes, links])
      if (nodes.length > 6 || links.length === 0 || known.has(key)) continue
      known.add(key)
      const isRoutable = (own: ReadonlyArray<ArrayLike<number>>): boolean =>
        allPermutations(nodes.length).every(
          (permutation) => canRoute(topology, { ok: true, nodes, links: own }, permutation, Infinity) === true,
        )
      expect(isRoutable(links), key).toBe(true)
      counts.routed++
      const fewer = links.map((ids, level) => (level === links.length - 1 ? Array.from(ids).slice(1) : ids))
      counts[isRoutable(fewer) ? 'spared' : 'blocked']++
    }
    expect(counts.routed).toBeGreaterThan(20)
    expect(counts.blocked).toBeGreaterThan(3 * counts.spared)
  },
)

function allPermutations(count: number): ReadonlyArray<ReadonlyArray<number>> {
  if (count === 0) return [[]]
  return allPermutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, at) => rest.toSpliced(at, 0, count - 1)),
  )
}

test('Mosaic prefers leaves whose running jobs end at the same time as the new job', () => {
  const topology = parseTopology('radix:8')
  const { placer } = bindPolicy(mosaic, topology)
  const state = new ClusterState(topology, { index: placer.index })
  const hold = (leaf: number, estimatedEnd: number): void =>
    state.apply({ job: `${leaf}`, nodes: [4 * leaf, 4 * leaf + 1], links: [], estimatedEnd, startOrder: leaf })
  hold(0, 10_000)
  hold(1, 50_000)
  hold(2, 90_000)
  const on = (estimate: number): unknown => {
    const outcome = ask(placer, state, 2, { estimate })
    return outcome.ok ? Array.from(outcome.nodes) : outcome
  }
  expect([on(10_000), on(50_000), on(90_000)]).toEqual([
    [2, 3],
    [6, 7],
    [10, 11],
  ])
})

test.each([
  ['pgft:3;4,4,4;1,2,2;1,1,1', 'uplinks over 4 nodes'],
  ['pgft:2;4,4;1,1;1,2', '2 uplinks over 4 nodes; as many uplinks as nodes are served'],
  ['kary:2:4', '4 levels'],
])('Mosaic does not serve the topology %s', (spec, reason) => {
  expect(() => bindPolicy(mosaic, parseTopology(spec))).toThrow(reason)
})
