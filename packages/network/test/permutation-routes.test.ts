import type { PlacementPolicy, Resources } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import { laas } from '@cloister/policy-laas'
import { ta } from '@cloister/policy-ta'
import { parseTopology, pgft, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bitReversal,
  type FlowCheck,
  FlowChecker,
  type FlowLinks,
  fullBandwidth,
  randomPermutation,
  routePermutation,
  shift,
} from '../src/index.ts'
import { allocation, type L2Plan, type LeafPlan, randomLegal, range } from './allocations.ts'
import { blockedPermutation, canRoute } from './exhaustive.ts'
import { runningJobs } from './running-jobs.ts'
import { shapes } from './shapes.ts'

const topologies = [
  'radix:4',
  'radix:8',
  'radix:18',
  'cab',
  'pgft:2;4,5;1,3;1,2',
  'pgft:3;4,4,4;1,2,2;1,1,1',
  'pgft:3;6,4,5;1,2,2;1,3,2',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:1;9;1;1',
].map((each) => parseTopology(each))
const seeds = fc.integer({ min: 0 })

function route(topology: Topology, resources: Resources, permutation: ArrayLike<number>): FlowLinks {
  const allocated = fullBandwidth(topology, resources)
  if ('unproved' in allocated) throw new Error(`${JSON.stringify(resources)}: ${allocated.unproved}`)
  return routePermutation(allocated, permutation)
}

/**
 * Returns a permutation in which the nodes of a leaf send, if possible, to the leaf `step` leaves on, so that all flows
 * of a leaf compete for links.
 */
function leafToLeaf(topology: Topology, { nodes }: Resources, step: number): Int32Array {
  const places = Array.from(nodes, (_, i) => i)
  const key = (i: number, by: number): number => (topology.leafOfNode[nodes[i]] + by) % topology.leaves
  const sources = places.toSorted((a, b) => key(a, step) - key(b, step) || a - b)
  const permutation = new Int32Array(places.length)
  places
    .toSorted((a, b) => key(a, 0) - key(b, 0) || a - b)
    .forEach((target, i) => {
      permutation[sources[i]] = target
    })
  return permutation
}

/**
 * Returns random, regular and adversarial permutations: shifts from leaf to leaf and from pod to pod, and the reversal
 * of all nodes.
 */
function permutationsFor(topology: Topology, resources: Resources, seed: number): ReadonlyArray<Int32Array> {
  const n = resources.nodes.length
  return [
    randomPermutation(n, seed),
    randomPermutation(n, seed + 1),
    shift(n, 1 + (seed % n)),
    shift(n, n >> 1),
    bitReversal(n),
    shift(n, 0).reverse(),
    leafToLeaf(topology, resources, 1),
    leafToLeaf(topology, resources, topology.leaves / topology.pods),
  ]
}

test('routePermutation puts at most one flow on a link in each direction, on the links of the allocation only', () => {
  let crossing = 0
  fc.assert(
    fc.property(fc.constantFrom(...topologies), seeds, (topology, seed) => {
      const resources = randomLegal(topology, new Draw(seed))
      const checker = new FlowChecker(topology)
      for (const permutation of permutationsFor(topology, resources, seed)) {
        const { flows, largestLoad, problem } = checker.check(
          resources,
          permutation,
          route(topology, resources, permutation),
        )
        expect(problem).toBeUndefined()
        expect(largestLoad).toBe(flows > 0 ? 1 : 0)
        if (flows > 0) crossing++
      }
    }),
    { numRuns: 400 },
  )
  expect(crossing).toBeGreaterThan(500)
})

test('routePermutation finds routes on trees of random shape', () => {
  fc.assert(
    fc.property(
      shapes.filter(({ m }) => m.length <= 3 && m.length > 1),
      seeds,
      (shape, seed) => {
        const topology = pgft(shape)
        const resources = randomLegal(topology, new Draw(seed))
        const checker = new FlowChecker(topology)
        for (const permutation of permutationsFor(topology, resources, seed)) {
          expect(checker.check(resources, permutation, route(topology, resources, permutation)).problem).toBeUndefined()
        }
      },
    ),
    { numRuns: 300 },
  )
})

describe.each([jigsaw, laas, ta] as ReadonlyArray<PlacementPolicy<any, any>>)(
  'every allocation of the policy $name in random histories',
  (policy) => {
    test.each(['radix:4', 'radix:8', 'radix:18', 'cab', 'pgft:3;4,4,3;1,4,2;1,1,2', 'pgft:2;4,6;1,4;1,1'])(
      'on the topology %s, fullBandwidth proves every allocation, and routePermutation finds routes for permutations',
      (spec) => {
        const topology = parseTopology(spec)
        const checker = new FlowChecker(topology)
        let crossing = 0
        for (let seed = 0; seed < 10; seed++) {
          for (const resources of runningJobs(topology, policy, new Draw(seed), 40)) {
            for (const permutation of permutationsFor(topology, resources, seed)) {
              const { flows, problem } = checker.check(resources, permutation, route(topology, resources, permutation))
              expect(problem).toBeUndefined()
              if (flows > 0) crossing++
            }
          }
        }
        expect(crossing).toBeGreaterThan(0)
      },
    )
  },
)

/** Returns plans of several leaves of a pod with equally many nodes and the same uplinks. */
function leavesOf(
  pod: number,
  leaves: ReadonlyArray<number>,
  nodes: number,
  l2: ReadonlyArray<number>,
): ReadonlyArray<LeafPlan> {
  return leaves.map((leaf) => ({ pod, leaf, nodes, l2 }))
}

/** Returns plans of several L2 switches of a pod with the same uplinks. */
function l2sOf(pod: number, l2s: ReadonlyArray<number>, spines: ReadonlyArray<number>): ReadonlyArray<L2Plan> {
  return l2s.map((l2) => ({ pod, l2, spines }))
}

describe('fullBandwidth and routePermutation, on worked examples, mostly of the Jigsaw paper:', () => {
  const radix4 = parseTopology('radix:4')
  const radix8 = parseTopology('radix:8')
  const tapered = parseTopology('pgft:3;4,4,4;1,2,2;1,1,1')

  /**
   * Allocation like Figure 3 of the Jigsaw paper: two full pods with 2 leaves of 2 nodes, and a remainder pod with a
   * leaf of 2 nodes and a leaf of 1 node.
   */
  const figure3 = {
    leaves: [
      ...leavesOf(0, [0, 1], 2, [0, 2]),
      ...leavesOf(1, [2, 3], 2, [0, 2]),
      ...leavesOf(5, [1], 2, [0, 2]),
      ...leavesOf(5, [2], 1, [2]),
    ],
    l2s: [...l2sOf(0, [0, 2], [1, 3]), ...l2sOf(1, [0, 2], [1, 3]), ...l2sOf(5, [0], [3]), ...l2sOf(5, [2], [1, 3])],
  }
  const changed = (more: {
    readonly leaves?: ReadonlyArray<LeafPlan>
    readonly l2s?: ReadonlyArray<L2Plan>
  }): Resources => allocation(radix8, more.leaves ?? figure3.leaves, more.l2s ?? figure3.l2s)

  test.each<[string, Topology, Resources]>([
    [
      'Figure 2, left: three nodes on two leaves, with three links',
      radix4,
      allocation(radix4, [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(0, [1], 1, [1])]),
    ],
    [
      'Figure 2, centre: two nodes on two leaves, with more links than the job needs',
      radix4,
      allocation(radix4, leavesOf(0, [0, 1], 1, [0, 1])),
    ],
    ['Figure 2, right: three nodes on three leaves', radix8, allocation(radix8, leavesOf(0, [0, 1, 3], 1, [2]))],
    ['Figure 3', radix8, changed({})],
    [
      'leaves of one pod with 1, 2, 3 and 3 nodes, and with the same three uplinks',
      radix8,
      allocation(
        radix8,
        [1, 2, 3, 3].flatMap((nodes, leaf) => leavesOf(0, [leaf], nodes, [0, 1, 3])),
      ),
    ],
    [
      'leaves of 4 and 2 nodes with two common uplinks: at most two flows leave a leaf at once',
      radix8,
      allocation(radix8, [...leavesOf(0, [0], 4, [0, 2]), ...leavesOf(0, [1], 2, [0, 2, 3])]),
    ],
    [
      'a remainder leaf in a full pod of 3 nodes, beside a pod of 2 nodes (breaks condition 2)',
      radix4,
      allocation(
        radix4,
        [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(0, [1], 1, [0]), ...leavesOf(1, [0], 2, [0, 1])],
        [...l2sOf(0, [0], [0, 1]), ...l2sOf(0, [1], [0]), ...l2sOf(1, [0, 1], [0])],
      ),
    ],
    [
      'a tapered tree: on each leaf as many nodes as up-ports',
      tapered,
      allocation(
        tapered,
        [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(2, [0], 2, [0, 1])],
        [...l2sOf(0, [0, 1], [1]), ...l2sOf(2, [0, 1], [1])],
      ),
    ],
  ])('the allocation has full bandwidth: %s', (_, topology, resources) => {
    const checker = new FlowChecker(topology)
    for (let seed = 0; seed < 30; seed++) {
      for (const permutation of permutationsFor(topology, resources, seed)) {
        expect(checker.check(resources, permutation, route(topology, resources, permutation)).problem).toBeUndefined()
        expect(canRoute(topology, resources, permutation)).toBe(true)
      }
    }
  })

  test.each<[string, Topology, Resources]>([
    ['Figure 1, left: fewer uplinks than nodes', radix8, allocation(radix8, leavesOf(0, [0, 1], 2, [0]))],
    [
      'Figure 1, centre: leaves of 1, 2 and 3 nodes, with as many uplinks as nodes',
      radix8,
      allocation(
        radix8,
        [1, 2, 3].flatMap((nodes, leaf) => leavesOf(0, [leaf], nodes, range(0, nodes))),
      ),
    ],
    [
      'Figure 1, right: as many uplinks as nodes, but to different L2 switches',
      radix8,
      allocation(radix8, [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(0, [1], 2, [1, 2])]),
    ],
    [
      'breaks condition 1: three pods of different sizes',
      radix8,
      changed({
        leaves: [...leavesOf(0, [0, 1], 2, [0, 2]), ...leavesOf(1, [2], 2, [0, 2]), ...leavesOf(5, [1], 2, [0, 2])],
        l2s: [...l2sOf(0, [0, 2], [1, 3]), ...l2sOf(1, [0, 2], [1]), ...l2sOf(5, [0, 2], [3])],
      }),
    ],
    [
      'breaks condition 2: a remainder leaf in a full pod',
      radix8,
      changed({
        leaves: [
          ...leavesOf(0, [0, 1], 2, [0, 2]),
          ...leavesOf(1, [2, 3], 2, [0, 2]),
          ...leavesOf(1, [0], 1, [2]),
          ...leavesOf(5, [1, 2], 2, [0, 2]),
        ],
        l2s: [
          ...l2sOf(0, [0, 2], [1, 3]),
          ...l2sOf(1, [0], [1, 3]),
          ...l2sOf(1, [2], [0, 1, 3]),
          ...l2sOf(5, [0, 2], [1, 3]),
        ],
      }),
    ],
    [
      'breaks condition 3: two leaves with fewer nodes than the full leaves',
      radix8,
      allocation(radix8, [...leavesOf(0, [0, 1], 2, [0, 2]), ...leavesOf(0, [2], 1, [0]), ...leavesOf(0, [3], 1, [2])]),
    ],
    [
      'breaks condition 4: a remainder leaf with an uplink outside the set S of the full leaves',
      radix8,
      allocation(radix8, [...leavesOf(0, [0, 1], 2, [0, 1]), ...leavesOf(0, [2], 1, [2])]),
    ],
    [
      'breaks condition 5: a full pod with different L2 indices',
      radix8,
      changed({
        leaves: [...leavesOf(0, [0, 1], 2, [0, 2]), ...leavesOf(1, [2, 3], 2, [1, 2]), ...figure3.leaves.slice(4)],
        l2s: [...l2sOf(0, [0, 2], [1, 3]), ...l2sOf(1, [1, 2], [1, 3]), ...figure3.l2s.slice(4)],
      }),
    ],
    [
      'breaks condition 6: a full pod with different spines',
      radix8,
      changed({ l2s: [...figure3.l2s.slice(1), ...l2sOf(0, [0], [1, 2])] }),
    ],
    [
      'breaks condition 6: a remainder pod with a spine that the full pods do not use',
      radix8,
      changed({ l2s: [...figure3.l2s.slice(0, 4), ...l2sOf(5, [0], [0]), ...l2sOf(5, [2], [1, 3])] }),
    ],
    [
      'an L2 switch of a full pod with one uplink too few',
      radix8,
      changed({ l2s: [...figure3.l2s.slice(1), ...l2sOf(0, [0], [1])] }),
    ],
    [
      'a tapered tree: on each leaf more nodes than up-ports',
      tapered,
      allocation(tapered, leavesOf(0, [0, 1], 4, [0, 1])),
    ],
  ])(
    'some permutation of the allocation has no routes, and fullBandwidth returns `unproved`: %s',
    (_, topology, resources) => {
      expect(fullBandwidth(topology, resources)).toHaveProperty('unproved')
      expect(blockedPermutation(topology, resources, 2000)).toBeDefined()
    },
  )

  test('an allocation over subtrees that only a fourth level connects is `unproved`', () => {
    const topology = parseTopology('kary:2:4')
    expect(
      fullBandwidth(topology, { nodes: [0, 15], links: topology.levels.map(({ links }) => range(0, links)) }),
    ).toEqual({ unproved: 'the nodes are in subtrees that only a fourth level of switches connects' })
    expect(
      fullBandwidth(topology, { nodes: [0, 7], links: topology.levels.map(({ links }) => range(0, links)) }),
    ).not.toHaveProperty('unproved')
  })

  test('routePermutation refuses an invalid permutation', () => {
    const resources = allocation(radix8, leavesOf(0, [0, 1], 2, [0, 2]))
    expect(() => route(radix8, resources, [0, 1, 2])).toThrow(
      'the permutation of 4 nodes has 3 places; expected one place for each node',
    )
    expect(() => route(radix8, resources, [0, 1, 2, 4])).toThrow(
      'place 3 of the permutation is 4; expected a place from 0 to 3',
    )
    expect(() => route(radix8, resources, [0, 1, 2, 1])).toThrow(
      'place 3 of the permutation is 1, as an earlier place is; expected each place once',
    )
  })
})

test('FlowChecker finds wrong routes', () => {
  const topology = parseTopology('radix:8')
  const resources = allocation(
    topology,
    [...leavesOf(0, [0, 1], 2, [0, 2]), ...leavesOf(1, [0, 1], 2, [0, 2])],
    [0, 1].flatMap((pod) => l2sOf(pod, [0, 2], [1, 3])),
  )
  const permutation = shift(8, 4)
  const checker = new FlowChecker(topology)
  const check = (change: (links: FlowLinks) => void): FlowCheck => {
    const links = route(topology, resources, permutation)
    change(links)
    return checker.check(resources, permutation, links)
  }
  expect(check(() => {})).toEqual({ flows: 8, largestLoad: 1, problem: undefined })
  // The flow of node 1 takes the links of the flow of node 0, which lead to the right leaf.
  const shared = check(({ up, down }) =>
    [...up, ...down].forEach((level) => {
      level[1] = level[0]
    }),
  )
  expect(shared).toMatchObject({ largestLoad: 2, problem: expect.stringContaining('carries two flows up') })
  expect(
    check(({ up }) => {
      up[0][0] = 1
    }).problem,
  ).toBe('link 1 of level 0 does not belong to the allocation')
  const own = new Set(Array.from(resources.links[1]))
  expect(
    check(({ up }) => {
      up[1][0] = [...own].find((link) => link !== up[1][0])!
    }).problem,
  ).toMatch(/broken|two flows/)
  expect(
    check(({ up }) => {
      up[0][0] = -1
    }).problem,
  ).toBe('the way from node 0 to node 16 is broken at switch 0 of level 0')
})
