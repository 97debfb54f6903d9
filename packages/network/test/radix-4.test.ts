import { JigsawConditions } from '@cloister/audit'
import type { Resources } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { FlowChecker, fullBandwidth, randomPermutation, routePermutation } from '../src/index.ts'
import { allocation } from './allocations.ts'
import { allPermutations, blockedPermutation } from './exhaustive.ts'

/** Set of L2 indices or spines, as bits. */
type Two = 0 | 1 | 2 | 3
const all: ReadonlyArray<Two> = [0, 1, 2, 3]
const listed = (set: Two): ReadonlyArray<number> => [0, 1].filter((i) => ((set >> i) & 1) === 1)
const exchanged = (set: Two): Two => (((set & 1) << 1) | (set >> 1)) as Two

/** Pod of radix 4: the uplinks of its two leaves (as many as nodes), and of its two L2 switches. */
type Pod = readonly [leaf: Two, leaf: Two, l2: Two, l2: Two]

/** All pods in which every switch has as many uplinks as downlinks. */
const pods: ReadonlyArray<Pod> = all
  .flatMap((a) => all.flatMap((b) => all.flatMap((x) => all.map((y): Pod => [a, b, x, y]))))
  .filter(([a, b, x, y]) =>
    [x, y].every(
      (spines, index) => listed(spines).length === [a, b].filter((leaf) => listed(leaf).includes(index)).length,
    ),
  )

/**
 * Returns a text that is the same for allocations that differ only in the names of pods, leaves, L2 indices and spines.
 */
function canonical(allocated: ReadonlyArray<Pod>): string {
  const renamed = [0, 1, 2, 3, 4, 5, 6, 7].map((renaming) =>
    allocated
      .map((pod) => {
        let [a, b, x, y] = pod
        if ((renaming & 1) !== 0) x = exchanged(x)
        if ((renaming & 2) !== 0) y = exchanged(y)
        if ((renaming & 4) !== 0) [a, b, x, y] = [exchanged(a), exchanged(b), y, x]
        return a > b ? `${a}${b}${x}${y}` : `${b}${a}${x}${y}`
      })
      .sort()
      .join(' '),
  )
  return renamed.reduce((least, each) => (each < least ? each : least))
}

/** Returns every allocation of four pods, up to the names of pods, leaves, L2 indices and spines. */
function allAllocations(): ReadonlyMap<string, ReadonlyArray<Pod>> {
  const found = new Map<string, ReadonlyArray<Pod>>()
  pods.forEach((_, a) =>
    pods.slice(0, a + 1).forEach((__, b) =>
      pods.slice(0, b + 1).forEach((___, c) =>
        pods.slice(0, c + 1).forEach((____, d) => {
          const allocated = [pods[a], pods[b], pods[c], pods[d]]
          const name = canonical(allocated)
          if (!found.has(name)) found.set(name, allocated)
        }),
      ),
    ),
  )
  return found
}

const radix4 = parseTopology('radix:4')

function resourcesOf(allocated: ReadonlyArray<Pod>): Resources {
  const leaves = allocated
    .flatMap(([a, b], pod) => [a, b].map((set, leaf) => ({ pod, leaf, nodes: listed(set).length, l2: listed(set) })))
    .filter(({ nodes }) => nodes > 0)
  const l2s = allocated.flatMap(([, , x, y], pod) => [x, y].map((set, l2) => ({ pod, l2, spines: listed(set) })))
  if (leaves.length === 1) return allocation(radix4, [{ ...leaves[0], l2: [] }])
  return allocation(radix4, leaves, new Set(leaves.map(({ pod }) => pod)).size === 1 ? [] : l2s)
}

/**
 * Tests the theorem of the Jigsaw paper on all allocations of radix 4 with as many uplinks as downlinks. If
 * `fullBandwidth` proves an allocation, the test routes permutations: all permutations for at most 6 nodes. If
 * `fullBandwidth` returns `unproved`, the test finds a permutation without routes.
 */
test('on radix 4, the allocations that meet the conditions of the Jigsaw paper and one more allocation have full bandwidth, and no others', () => {
  const conditions = new JigsawConditions(radix4)
  const checker = new FlowChecker(radix4)
  const surplus: Array<string> = []
  let full = 0
  let blocked = 0
  for (const [name, allocated] of allAllocations()) {
    const resources = resourcesOf(allocated)
    const n = resources.nodes.length
    if (n === 0) continue
    const kept = conditions.breach(resources.nodes, resources.links) === undefined
    const proved = fullBandwidth(radix4, resources)
    if ('unproved' in proved) {
      if (kept) expect.fail(`${name} keeps the conditions and is not proved: ${proved.unproved}`)
      if (blockedPermutation(radix4, resources, 3000) === undefined)
        expect.fail(`${name} is not proved, and no permutation is blocked: ${proved.unproved}`)
      blocked++
      continue
    }
    full++
    if (!kept) surplus.push(name)
    const permutations =
      n <= 6 ? allPermutations(n) : Array.from({ length: 200 }, (_, seed) => randomPermutation(n, seed))
    for (const permutation of permutations) {
      const { problem } = checker.check(resources, permutation, routePermutation(proved, permutation))
      if (problem !== undefined) expect.fail(`${name}, ${permutation.join()}: ${problem}`)
    }
  }
  expect({ full, blocked }).toEqual({ full: 33, blocked: 1312 })
  // One allocation has full bandwidth, but breaks the conditions of the Jigsaw paper. It has five nodes: 2 and 1 on two
  // leaves of a pod, and 2 on a leaf of a second pod. Its remainder leaf is in the full pod, against condition 2. But at
  // most two flows cross between the pods at once, and two common links carry these flows.
  expect(surplus).toEqual(['0000 0000 3011 3131'])
})
