import { parseTopology, seededDraws, switchGraph, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JigsawConditions } from '../src/index.ts'
import { allocation, type Allocation, ascending, type L2Plan, type LeafPlan } from './allocations.ts'
import { hasFullBandwidth } from './full-bandwidth.ts'
import { keepsConditions } from './naive-conditions.ts'

function breachOf(topology: Topology, { nodes, links }: Allocation): string | undefined {
  return new JigsawConditions(topology).breach(nodes, links)?.condition
}

/** Returns plans with equal nodes and uplinks for several leaves of a pod. */
function leavesOf(
  pod: number,
  leaves: ReadonlyArray<number>,
  nodes: number,
  l2: ReadonlyArray<number>,
): ReadonlyArray<LeafPlan> {
  return leaves.map((leaf) => ({ pod, leaf, nodes, l2 }))
}

/** Returns plans with equal uplinks for several L2 switches of a pod. */
function l2sOf(pod: number, l2s: ReadonlyArray<number>, spines: ReadonlyArray<number>): ReadonlyArray<L2Plan> {
  return l2s.map((l2) => ({ pod, l2, spines }))
}

describe('JigsawConditions.breach of single allocations', () => {
  const radix8 = parseTopology('radix:8')
  const cab = parseTopology('cab')
  const tapered = parseTopology('pgft:3;4,4,4;1,2,2;1,1,1')

  /**
   * Allocation like Figure 3 of the Jigsaw paper: two full pods with two leaves of 2 nodes each, and a remainder pod
   * with a leaf of 2 nodes and a leaf of 1 node.
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
  }): Allocation => allocation(radix8, more.leaves ?? figure3.leaves, more.l2s ?? figure3.l2s)

  test.each<[string, string | undefined, Topology, Allocation]>([
    ['nodes on one leaf, no link', undefined, radix8, allocation(radix8, leavesOf(0, [0], 3, []))],
    ['nodes on one leaf, with a leaf uplink', 'one-leaf', radix8, allocation(radix8, leavesOf(0, [0], 3, [1]))],
    [
      'nodes on one leaf, with an L2 uplink',
      'one-leaf',
      radix8,
      allocation(radix8, leavesOf(0, [0], 3, []), l2sOf(0, [0], [0])),
    ],
    ['full leaves in one pod', undefined, radix8, allocation(radix8, leavesOf(0, [0, 2, 3], 3, [0, 1, 3]))],
    [
      'full leaves and a remainder leaf in one pod',
      undefined,
      radix8,
      allocation(radix8, [...leavesOf(0, [1, 3], 3, [0, 1, 3]), ...leavesOf(0, [0], 2, [0, 3])]),
    ],
    [
      'Figure 1 (left) of the Jigsaw paper: fewer uplinks than nodes',
      'balance',
      radix8,
      allocation(radix8, [...leavesOf(0, [0], 2, [0]), ...leavesOf(0, [1], 2, [0, 1])]),
    ],
    ['more uplinks than nodes', 'balance', radix8, allocation(radix8, leavesOf(0, [0, 1], 2, [0, 1, 2]))],
    [
      'Figure 1 (centre) of the Jigsaw paper: 1, 2 and 3 nodes on leaves',
      '3',
      radix8,
      allocation(radix8, [
        ...leavesOf(0, [0], 1, [0]),
        ...leavesOf(0, [1], 2, [0, 1]),
        ...leavesOf(0, [2], 3, [0, 1, 2]),
      ]),
    ],
    [
      'Figure 1 (right) of the Jigsaw paper: balanced, but L2 switches chosen leaf by leaf',
      '4',
      radix8,
      allocation(radix8, [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(0, [1], 2, [2, 3])]),
    ],
    [
      'a remainder leaf with an L2 index that no full leaf uses',
      '4',
      radix8,
      allocation(radix8, [...leavesOf(0, [0, 1], 2, [0, 1]), ...leavesOf(0, [2], 1, [2])]),
    ],
    [
      'an uplink of a leaf without nodes',
      'balance',
      radix8,
      allocation(radix8, [...leavesOf(0, [0, 1], 2, [0, 1]), ...leavesOf(0, [3], 0, [0])]),
    ],
    [
      'one pod with an L2 uplink',
      'balance',
      radix8,
      allocation(radix8, leavesOf(0, [0, 1], 2, [0, 1]), l2sOf(0, [0], [0])),
    ],

    ['Figure 3', undefined, radix8, changed({})],
    [
      'three unequal pods',
      '1',
      radix8,
      changed({ leaves: [...figure3.leaves.slice(0, 3), ...figure3.leaves.slice(4)] }),
    ],
    [
      'a remainder leaf in a full pod',
      '2',
      radix8,
      changed({ leaves: [...figure3.leaves.slice(0, 5), { pod: 1, leaf: 0, nodes: 1, l2: [2] }] }),
    ],
    [
      'a second remainder leaf',
      '3',
      radix8,
      changed({ leaves: [...figure3.leaves, { pod: 0, leaf: 3, nodes: 1, l2: [0] }] }),
    ],
    [
      'other L2 indices on one leaf',
      '4',
      radix8,
      changed({ leaves: [...figure3.leaves.slice(1), { pod: 0, leaf: 0, nodes: 2, l2: [0, 1] }] }),
    ],
    [
      'other L2 indices in one pod',
      '5',
      radix8,
      changed({
        leaves: [...figure3.leaves.slice(0, 2), ...leavesOf(1, [2, 3], 2, [1, 2]), ...figure3.leaves.slice(4)],
      }),
    ],
    [
      'a remainder leaf in the remainder pod with an L2 index that no full leaf uses',
      '4',
      radix8,
      changed({ leaves: [...figure3.leaves.slice(0, 5), { pod: 5, leaf: 2, nodes: 1, l2: [1] }] }),
    ],
    [
      'an L2 switch with an uplink too few',
      'balance',
      radix8,
      changed({ l2s: [...figure3.l2s.slice(1), ...l2sOf(0, [0], [1])] }),
    ],
    ['no L2 uplinks at all', 'balance', radix8, changed({ l2s: [] })],
    [
      'an uplink of an L2 switch that no leaf uses',
      'balance',
      radix8,
      changed({ l2s: [...figure3.l2s, ...l2sOf(7, [1], [1])] }),
    ],
    ['other spines in a full pod', '6', radix8, changed({ l2s: [...figure3.l2s.slice(1), ...l2sOf(0, [0], [1, 2])] })],
    [
      'a remainder pod with a spine that no full pod uses',
      '6',
      radix8,
      changed({ l2s: [...figure3.l2s.slice(0, 4), ...l2sOf(5, [0], [0]), ...l2sOf(5, [2], [1, 3])] }),
    ],
    [
      'a remainder pod of one leaf alone',
      undefined,
      radix8,
      allocation(
        radix8,
        [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(1, [0], 1, [1])],
        [...l2sOf(0, [0, 1], [2]), ...l2sOf(1, [1], [2])],
      ),
    ],

    [
      'Cab: parallel cables to one spine',
      undefined,
      cab,
      allocation(
        cab,
        [...leavesOf(0, [0, 1], 1, [7]), ...leavesOf(3, [4, 5], 1, [7])],
        [...l2sOf(0, [7], [1, 1]), ...l2sOf(3, [7], [1, 1])],
      ),
    ],
    [
      'Cab: cables split differently over the spines',
      '6',
      cab,
      allocation(
        cab,
        [...leavesOf(0, [0, 1], 1, [7]), ...leavesOf(3, [4, 5], 1, [7])],
        [...l2sOf(0, [7], [1, 1]), ...l2sOf(3, [7], [0, 1])],
      ),
    ],
    [
      'Cab: a remainder within the cables',
      undefined,
      cab,
      allocation(
        cab,
        [...leavesOf(0, [0, 1], 1, [7]), ...leavesOf(3, [4], 1, [7])],
        [...l2sOf(0, [7], [0, 1]), ...l2sOf(3, [7], [0])],
      ),
    ],
    [
      'Cab: a remainder with more cables to a spine',
      '6',
      cab,
      allocation(
        cab,
        [...leavesOf(0, [0, 1, 2], 1, [7]), ...leavesOf(3, [4, 5], 1, [7])],
        [...l2sOf(0, [7], [0, 0, 1]), ...l2sOf(3, [7], [1, 1])],
      ),
    ],

    [
      'tapered: as many nodes as up-ports',
      undefined,
      tapered,
      allocation(
        tapered,
        [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(2, [0], 2, [0, 1])],
        [...l2sOf(0, [0, 1], [1]), ...l2sOf(2, [0, 1], [1])],
      ),
    ],
    ['tapered: more nodes than up-ports', 'balance', tapered, allocation(tapered, leavesOf(0, [0, 1], 4, [0, 1]))],
  ])('JigsawConditions.breach: %s (broken condition: %s)', (_, condition, topology, each) => {
    expect(breachOf(topology, each)).toBe(condition)
    expect(keepsConditions(topology, each)).toBe(condition === undefined)
  })

  test('with leafJobsHoldUplinks, JigsawConditions demands one leaf uplink a node for a job on one leaf', () => {
    const conditions = new JigsawConditions(radix8, { leafJobsHoldUplinks: true })
    const breach = (l2: ReadonlyArray<number>) => {
      const { nodes, links } = allocation(radix8, leavesOf(2, [1], 3, l2))
      return conditions.breach(nodes, links)?.condition
    }
    expect(breach([0, 2, 3])).toBeUndefined()
    expect(breach([0, 2])).toBe('one-leaf')
    expect(breach([])).toBe('one-leaf')
  })

  test('JigsawConditions finds a breach of balance if a job has links above the spines', () => {
    expect(new JigsawConditions(parseTopology('kary:2:4')).breach([0, 8], [[0, 8], [0, 8], [0]])?.condition).toBe(
      'balance',
    )
  })

  test('JigsawConditions works on a tree with 4 million spines', () => {
    expect(new JigsawConditions(parseTopology('pgft:3;1,1,1;1,2000,2000;1,1,1')).breach([0], [])).toBeUndefined()
  })

  test('the message of JigsawConditions.breach names the leaf and the L2 index with too many cables', () => {
    const { nodes, links } = allocation(radix8, [...leavesOf(0, [0], 2, [0, 1]), ...leavesOf(0, [1], 2, [2, 3])])
    expect(new JigsawConditions(radix8).breach(nodes, links)?.message).toBe(
      'the allocation has too many cables from leaf 1 to L2 index 2; expected 0 as on leaf 0',
    )
  })
})

/** Returns all subsets of `all`, or all subsets with `size` members. */
function subsets<T>(all: ReadonlyArray<T>, size?: number): ReadonlyArray<ReadonlyArray<T>> {
  const every = all.reduce<ReadonlyArray<ReadonlyArray<T>>>(
    (sets, each) => [...sets, ...sets.map((set) => [...set, each])],
    [[]],
  )
  return size === undefined ? every : every.filter((set) => set.length === size)
}

function range(start: number, end: number): ReadonlyArray<number> {
  return Array.from({ length: end - start }, (_, i) => start + i)
}

function product<T>(choices: ReadonlyArray<ReadonlyArray<T>>): ReadonlyArray<ReadonlyArray<T>> {
  return choices.reduce<ReadonlyArray<ReadonlyArray<T>>>(
    (all, each) => all.flatMap((head) => each.map((one) => [...head, one])),
    [[]],
  )
}

describe.each([{}, { fewestUplinks: true }])(
  'JigsawConditions with %j accepts the same allocations as the naive `keepsConditions`',
  (options) => {
    test('JigsawConditions agrees with keepsConditions on all sets of nodes and leaf uplinks in a pod of 6 nodes', () => {
      const topology = parseTopology('pgft:2;2,3;1,2;1,1')
      const conditions = new JigsawConditions(topology, options)
      let legal = 0
      for (const nodes of subsets(range(0, 6)).slice(1)) {
        for (const links of subsets(range(0, 6))) {
          const each: Allocation = { nodes, links: [links, []] }
          const kept = conditions.breach(nodes, each.links) === undefined
          if (kept !== keepsConditions(topology, each, options))
            expect.fail(`${JSON.stringify(each)} is ${kept ? 'accepted' : 'refused'}`)
          if (kept) legal++
        }
      }
      expect(legal).toBeGreaterThan(50)
    })

    test.each([
      ['two pods of radix 4', parseTopology('pgft:3;2,2,2;1,2,2;1,1,1'), 11],
      ['three pods with leaves of one node', parseTopology('pgft:3;1,2,3;1,1,2;1,1,1'), 1],
      ['two pods with parallel cables', parseTopology('pgft:3;2,2,2;1,1,1;1,2,4'), 11],
      [
        'pods of two, one and two L2 switches',
        switchGraph({
          name: 'uneven',
          leaves: [2, 2, 1, 2],
          parents: [
            [[0, 1], [0, 1], [2], [3, 4]],
            [
              [0, 1],
              [0, 1],
              [0, 1],
              [0, 1],
              [0, 1],
            ],
          ],
        }),
        3,
      ],
      [
        'pods of one, two and one L2 switches',
        switchGraph({
          name: 'uneven',
          leaves: [1, 2, 2, 1],
          parents: [
            [[0], [1, 2], [1, 2], [3]],
            [
              [0, 1],
              [0, 1],
              [0, 1],
              [0, 1],
            ],
          ],
        }),
        1,
      ],
    ])(
      'JigsawConditions agrees with keepsConditions on allocations with as many uplinks as nodes on each leaf, on %s',
      (_, topology, stride) => {
        const conditions = new JigsawConditions(topology, options)
        const [leafLevel, l2Level] = topology.levels
        const perLeaf = range(0, topology.leaves).map((leaf) => {
          const nodes = range(topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[leaf + 1])
          const links = range(leafLevel.firstPort[leaf], leafLevel.firstPort[leaf + 1])
          return subsets(nodes).flatMap((some) => subsets(links, some.length).map((up) => ({ nodes: some, links: up })))
        })
        const uppers = subsets(range(0, l2Level.links))
        let legal = 0
        product(perLeaf).forEach((leaves, i) => {
          const nodes = leaves.flatMap((leaf) => leaf.nodes)
          const links = leaves.flatMap((leaf) => leaf.links)
          if (nodes.length === 0) return
          // The stride skips different L2 uplinks for each choice of leaves, so that all choices meet all shapes.
          for (let at = i % stride; at < uppers.length; at += stride) {
            const each: Allocation = { nodes, links: [links, uppers[at]] }
            const kept = conditions.breach(nodes, each.links) === undefined
            if (kept !== keepsConditions(topology, each, options))
              expect.fail(`${JSON.stringify(each)} is ${kept ? 'accepted' : 'refused'}`)
            if (kept) legal++
          }
        })
        expect(legal).toBeGreaterThan(20)
      },
    )
  },
)

describe('JigsawConditions and full bandwidth, on trees with single cables', () => {
  test.each([
    ['pgft:2;3,4;1,3;1,1', 6],
    ['pgft:3;2,2,3;1,2,2;1,1,1', 4],
  ])(
    'on the tree %s, a balanced allocation of up to %i nodes keeps the Jigsaw conditions exactly if it has full bandwidth',
    (spelling, most) => {
      const topology = parseTopology(spelling)
      let full = 0
      let all = 0
      for (const each of balancedAllocations(topology, most)) {
        const kept = breachOf(topology, each) === undefined
        if (kept !== hasFullBandwidth(topology, each))
          expect.fail(`${JSON.stringify(each)} is ${kept ? 'accepted' : 'refused'}`)
        all++
        if (kept) full++
      }
      expect(full).toBeGreaterThan(20)
      expect(all - full).toBeGreaterThan(20)
    },
  )

  test('an allocation of 5 nodes may break the Jigsaw conditions and have full bandwidth: leaves of 2 and 1 nodes in a pod, a leaf of 2 nodes in a second pod', () => {
    const topology = parseTopology('pgft:3;2,2,3;1,2,2;1,1,1')
    let surplus = 0
    for (const each of balancedAllocations(topology, 5)) {
      const kept = breachOf(topology, each) === undefined
      const full = hasFullBandwidth(topology, each)
      if (kept && !full) expect.fail(`${JSON.stringify(each)} is accepted`)
      if (!kept && full) surplus++
    }
    expect(surplus).toBeGreaterThan(0)
    const other: Allocation = {
      nodes: [0, 1, 2, 4, 5],
      links: [
        [0, 1, 2, 4, 5],
        [0, 1, 2, 4, 6],
      ],
    }
    expect(breachOf(topology, other)).toBe('2')
    expect(hasFullBandwidth(topology, other)).toBe(true)
  })
})

describe('JigsawConditions with fewestUplinks and full bandwidth', () => {
  const options = { fewestUplinks: true }

  test('an allocation with one full leaf and a remainder leaf has full bandwidth exactly if both leaves have the uplinks of the remainder leaf in common', () => {
    const topology = parseTopology('pgft:2;4,2;1,4;1,1')
    const conditions = new JigsawConditions(topology, options)
    let legal = 0
    for (const [full, remainder] of [
      [2, 1],
      [3, 2],
      [4, 1],
      [4, 2],
    ]) {
      const nodes = [...range(0, full), ...range(4, 4 + remainder)]
      for (const own of subsets(range(0, 4), remainder))
        for (const other of subsets(range(4, 8), remainder)) {
          const links = [[...own, ...other], []] as const
          const kept = conditions.breach(nodes, links) === undefined
          expect(kept).toBe(hasFullBandwidth(topology, { nodes, links }))
          if (kept) legal++
        }
      const tooFew = { nodes, links: [[...range(0, remainder - 1), ...range(4, 4 + remainder)], []] as const }
      expect(conditions.breach(nodes, tooFew.links)?.condition).toBe('balance')
      expect(hasFullBandwidth(topology, tooFew)).toBe(false)
    }
    expect(legal).toBe(4 + 6 + 4 + 6)
  })

  test.each([1, 2, 3])(
    'an allocation with one full pod of 4 nodes and a remainder pod of %i nodes has full bandwidth if each L2 switch of the full pod has the uplinks of the remainder pod, and not with fewer uplinks',
    (remainder) => {
      const topology = parseTopology('pgft:3;2,2,2;1,2,2;1,1,1')
      const conditions = new JigsawConditions(topology, options)
      const nodes = range(0, 4 + remainder)
      const leafLinks = range(0, 4 + remainder)
      const l2sBelow = [4, 5, 6].slice(0, remainder).map((link) => topology.levels[0].parentOfLink[link])
      let legal = 0
      for (const l2Links of subsets(range(0, 8))) {
        const links = [leafLinks, l2Links] as const
        if (conditions.breach(nodes, links) !== undefined) continue
        legal++
        expect(l2Links).toHaveLength(2 * l2sBelow.length)
        expect(hasFullBandwidth(topology, { nodes, links })).toBe(true)
        const tooFew = [leafLinks, l2Links.slice(1)] as const
        expect(conditions.breach(nodes, tooFew)?.condition).toBe('balance')
        expect(hasFullBandwidth(topology, { nodes, links: tooFew })).toBe(false)
      }
      expect(legal).toBe([0, 2, 4, 2][remainder])
    },
  )
})

/**
 * Yields allocations with as many uplinks as downlinks on every switch, in descending order of nodes, leaves and pods:
 * an allocation that only names leaves or pods in another order is left out.
 */
function* balancedAllocations(topology: Topology, most: number): Generator<Allocation> {
  const leavesPerPod = topology.firstLeafOfPod[1]
  const nodesPerLeaf = topology.firstNodeOfLeaf[1]
  const descending = (counts: ReadonlyArray<number>): boolean =>
    counts.every((each, i) => i === 0 || each <= counts[i - 1])
  const podShapes = product(range(0, leavesPerPod).map(() => range(0, nodesPerLeaf + 1))).filter(descending)
  for (const pods of product(range(0, topology.pods).map(() => podShapes))) {
    const counts = pods.flat()
    const size = counts.reduce((sum, each) => sum + each, 0)
    if (size === 0 || size > most || !descending(pods.map((pod) => pod.reduce((key, each) => 10 * key + each, 0))))
      continue
    const nodes = counts.flatMap((each, leaf) => range(leaf * nodesPerLeaf, leaf * nodesPerLeaf + each))
    const usedLeaves = counts.filter((each) => each > 0).length
    const usedPods = pods.filter((pod) => pod[0] > 0).length
    if (usedLeaves === 1) {
      yield { nodes, links: [[], []] }
      continue
    }
    const [leafLevel] = topology.levels
    for (const leafLinks of product(
      counts.map((each, leaf) => subsets(range(leafLevel.firstPort[leaf], leafLevel.firstPort[leaf + 1]), each)),
    )) {
      const links = leafLinks.flat()
      if (usedPods === 1) yield { nodes, links: [links, []] }
      else for (const l2Links of balancedL2Links(topology, links)) yield { nodes, links: [links, l2Links] }
    }
  }
}

function balancedL2Links(topology: Topology, leafLinks: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> {
  const [leafLevel, l2Level] = topology.levels
  const choices = range(0, l2Level.switches).map((l2) => {
    const cables = leafLinks.filter((link) => leafLevel.parentOfLink[link] === l2).length
    return subsets(range(l2Level.firstPort[l2], l2Level.firstPort[l2 + 1]), cables)
  })
  return product(choices).map((each) => each.flat())
}

describe('JigsawConditions on random allocations', () => {
  const topologies = ['radix:8', 'radix:16', 'cab', 'pgft:3;4,4,4;1,2,2;1,1,1', 'pgft:3;6,4,5;1,2,2;1,3,2'].map(
    (each) => parseTopology(each),
  )

  test('JigsawConditions accepts random legal allocations, and agrees with keepsConditions after any small change of an allocation', () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), fc.integer(), (topology, seed) => {
        const draw = seededDraws(seed)
        const legal = randomLegal(topology, draw)
        expect(breachOf(topology, legal)).toBeUndefined()
        const other = randomChange(topology, legal, draw)
        if (other.nodes.length > 0)
          expect(breachOf(topology, other) === undefined).toBe(keepsConditions(topology, other))
      }),
      { numRuns: 300 },
    )
  })
})

type Draw = (below: number) => number

/**
 * Draws an allocation that keeps Jigsaw's conditions (HPDC'21, section 3.2.2, counted in cables): the cables of a full
 * leaf and of the remainder leaf, the numbers of pods and leaves, then the pods, leaves and cables to spines.
 */
function randomLegal(topology: Topology, draw: Draw): Allocation {
  const { m, w, p } = topology.pgft!
  const pick = (from: ReadonlyArray<number>, count: number): ReadonlyArray<number> => {
    const rest = [...from]
    return range(0, count).map(() => rest.splice(draw(rest.length), 1)[0])
  }
  const leafPorts = range(0, w[1] * p[1])
  const l2Ports = range(0, w[2] * p[2])
  const n = 1 + draw(Math.min(m[0], leafPorts.length))
  // Ports stand for parents here: port u leads to parent u mod w.
  const c = pick(leafPorts, n).map((port) => port % w[1])
  const cablesTo = (index: number, of: ReadonlyArray<number>): number => of.filter((each) => each === index).length
  const mostCables = Math.max(...c.map((index) => cablesTo(index, c)))
  const remainder = pick(c, draw(n))
  const pods = 1 + draw(topology.pods)
  const perPod = 1 + draw(pods === 1 ? m[1] : Math.min(m[1], Math.floor(l2Ports.length / mostCables)))
  const full = pods > 1 ? pods - draw(2) : 1
  const chosenPods = pick(range(0, topology.pods), pods)
  const leaves: Array<LeafPlan> = []
  const l2s: Array<L2Plan> = []
  const spinesOf = new Map(
    [...new Set(c)].map((index) => [index, pick(l2Ports, cablesTo(index, c) * perPod).map((port) => port % w[2])]),
  )
  const isOnePod = pods === 1
  chosenPods.forEach((pod, i) => {
    const isRemainder = i >= full
    const fullLeaves = isRemainder ? draw(perPod) : perPod
    const hasRemainderLeaf = remainder.length > 0 && (isRemainder || (isOnePod && fullLeaves < m[1]))
    if (fullLeaves === 0 && !hasRemainderLeaf) return
    const places = pick(range(0, m[1]), fullLeaves + (hasRemainderLeaf ? 1 : 0))
    places.forEach((leaf, at) =>
      leaves.push(
        at < fullLeaves ? { pod, leaf, nodes: n, l2: c } : { pod, leaf, nodes: remainder.length, l2: remainder },
      ),
    )
    if (isOnePod) return
    for (const [index, spines] of spinesOf) {
      const needed = cablesTo(index, c) * fullLeaves + (hasRemainderLeaf ? cablesTo(index, remainder) : 0)
      l2s.push({ pod, l2: index, spines: pick(spines, needed) })
    }
  })
  if (leaves.length === 1) return allocation(topology, [{ ...leaves[0], l2: [] }])
  return new Set(leaves.map(({ pod }) => pod)).size === 1
    ? allocation(topology, leaves)
    : allocation(topology, leaves, l2s)
}

/** Removes an id from a set, adds an id, or replaces an id by a near id. */
function randomChange(topology: Topology, { nodes, links: [leafLinks, l2Links] }: Allocation, draw: Draw): Allocation {
  const limits = [topology.nodes, topology.levels[0].links, topology.levels[1].links]
  const sets = [nodes, leafLinks, l2Links]
  const which = draw(3)
  const changed = new Set(sets[which])
  const victim = sets[which][draw(Math.max(1, sets[which].length))]
  const kind = draw(3)
  if (kind !== 1 && victim !== undefined) changed.delete(victim)
  if (kind !== 0)
    changed.add(kind === 1 || victim === undefined ? draw(limits[which]) : (victim + 1 + draw(3)) % limits[which])
  const [a, b, c] = sets.map((set, i) => (i === which ? ascending(changed) : set))
  return { nodes: a, links: [b, c] }
}
