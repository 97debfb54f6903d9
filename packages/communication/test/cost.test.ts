import { lowestCommonLevel, parseSlurmTopology, parseTopology, switchGraph, type Topology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  adjustedRunTime,
  averagePairwiseHops,
  communicationCost,
  contention,
  distance,
  effectiveHops,
  hopBytes,
  matrixPattern,
  type Pattern,
  patternNames,
  patternOf,
  trafficOf,
} from '../src/index.ts'

const topologies: ReadonlyArray<Topology> = [
  parseTopology('kary:2:3'),
  parseTopology('radix:6'),
  parseTopology('pgft:3;5,3,2;1,4,1;1,2,1'),
  switchGraph({
    name: 'uneven',
    leaves: [3, 1, 4, 2],
    parents: [
      [[0], [0, 1], [1], [2]],
      [[0], [0], [0]],
    ],
  }),
]

/**
 * Random cases: a machine, the node of each rank of a job (with repetitions, in any order), and the number of nodes of
 * each leaf with other communicating jobs.
 */
const placed = fc
  .constantFrom(...topologies)
  .chain((topology) =>
    fc.record({
      topology: fc.constant(topology),
      ranks: fc.array(fc.nat(topology.nodes - 1), { minLength: 1, maxLength: 14 }),
      others: fc.array(fc.nat(3), { minLength: topology.leaves, maxLength: topology.leaves }),
    }),
  )

/** Computes effective hops by equations 2 to 5 of Mishra et al., literally. Ranks on one node have distance 0. */
function naiveHops(
  topology: Topology,
  others: ReadonlyArray<number>,
  ranks: ReadonlyArray<number>,
): (i: number, j: number) => number {
  const L = (node: number): number => topology.leafOfNode[node]
  const L_nodes = (node: number): number => topology.leafOfNode.filter((leaf) => leaf === L(node)).length
  const L_comm = (node: number): number =>
    others[L(node)] + [...new Set(ranks)].filter((own) => L(own) === L(node)).length
  const C = (i: number, j: number): number =>
    L(i) === L(j)
      ? L_comm(i) / L_nodes(i)
      : L_comm(i) / L_nodes(i) + L_comm(j) / L_nodes(j) + 0.5 * ((L_comm(i) + L_comm(j)) / (L_nodes(i) + L_nodes(j)))
  return (i, j) => (i === j ? 0 : 2 * (1 + lowestCommonLevel(topology, i, j)) * (1 + C(i, j)))
}

function visits(
  pattern: Pattern,
  ranks: number,
): ReadonlyArray<{ readonly pair: readonly [number, number, number]; readonly step: number }> {
  const all: Array<{ readonly pair: readonly [number, number, number]; readonly step: number }> = []
  let taken = 0
  let step: Array<readonly [number, number, number]> = []
  pattern.forEachPair(
    ranks,
    (...pair) => step.push(pair),
    (times) => {
      for (let i = 0; i < times; i++, taken++) for (const pair of step) all.push({ pair, step: taken })
      step = []
    },
  )
  return all
}

const anyPattern = (ranks: number): fc.Arbitrary<Pattern> =>
  fc.oneof(
    fc.constantFrom(...patternNames.map((name) => patternOf(name))),
    fc
      .array(fc.array(fc.nat(9), { minLength: ranks, maxLength: ranks }), { minLength: ranks, maxLength: ranks })
      .map((matrix) => matrixPattern('m', matrix)),
  )

const cases = placed.chain((one) => anyPattern(one.ranks.length).map((pattern) => ({ ...one, pattern })))

test('communicationCost agrees with equation 6 of Mishra et al., computed step by step and pair by pair', () => {
  fc.assert(
    fc.property(cases, ({ topology, ranks, others, pattern }) => {
      const hops = naiveHops(topology, others, ranks)
      const most = new Map<number, number>()
      for (const {
        pair: [a, b],
        step,
      } of visits(pattern, ranks.length))
        most.set(step, Math.max(most.get(step) ?? 0, hops(ranks[a], ranks[b])))
      const expected = [...most.values()].reduce((sum, each) => sum + each, 0)
      expect(communicationCost(topology, (leaf) => others[leaf], ranks, pattern)).toBeCloseTo(expected, 8)
    }),
    { numRuns: 500 },
  )
})

test('effectiveHops gives equal hops in both directions', () => {
  fc.assert(
    fc.property(placed, ({ topology, ranks, others }) => {
      const hops = effectiveHops(topology, (leaf) => others[leaf], ranks)
      const naive = naiveHops(topology, others, ranks)
      for (const a of ranks) {
        for (const b of ranks) {
          expect(hops(a, b)).toBeCloseTo(naive(a, b), 10)
          expect(hops(b, a)).toBe(hops(a, b))
        }
      }
    }),
  )
})

test('trafficOf gives the sums over all messages of a pattern', () => {
  fc.assert(
    fc.property(cases, ({ topology, ranks, pattern }) => {
      const far = visits(pattern, ranks.length)
        .map(({ pair: [a, b, size] }) => ({ nodes: [ranks[a], ranks[b]] as const, size }))
        .filter(({ nodes: [a, b] }) => a !== b)
      const isIntra = ({ nodes: [a, b] }: (typeof far)[number]): boolean =>
        topology.leafOfNode[a] === topology.leafOfNode[b]
      const of = (some: typeof far) => {
        const total = some.reduce((sum, { size }) => sum + size, 0)
        return { pairs: some.length, total, average: some.length === 0 ? 0 : total / some.length }
      }
      expect(trafficOf(topology, ranks, pattern)).toEqual({
        hopBytes: far.reduce(
          (sum, { nodes: [a, b], size }) => sum + size * 2 * (1 + lowestCommonLevel(topology, a, b)),
          0,
        ),
        interSwitch: of(far.filter((each) => !isIntra(each))),
        intraSwitch: of(far.filter(isIntra)),
      })
    }),
    { numRuns: 300 },
  )
})

test('averagePairwiseHops gives the mean hops over all ordered pairs of nodes', () => {
  fc.assert(
    fc.property(placed, ({ topology, ranks }) => {
      const nodes = [...new Set(ranks)]
      let sum = 0
      for (const a of nodes) for (const b of nodes) if (a !== b) sum += 2 * lowestCommonLevel(topology, a, b)
      expect(averagePairwiseHops(topology, nodes)).toBeCloseTo(
        nodes.length < 2 ? 0 : sum / (nodes.length * (nodes.length - 1)),
        10,
      )
    }),
  )
  // In a pod with two leaves of 9 nodes, 9 of the 17 other nodes are two links away from a node.
  expect(
    averagePairwiseHops(
      parseTopology('radix:18'),
      Array.from({ length: 18 }, (_, node) => node),
    ),
  ).toBe(18 / 17)
})

describe('in Figure 5 of Mishra et al., with job 1 on n0, n1, n4, n5 and job 2 on n2, n3 of two leaves of 4 nodes,', () => {
  const topology = parseSlurmTopology(
    'SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=s2 Switches=s[0-1]',
    'figure 5',
  )
  const job1 = [0, 1, 4, 5]
  it('in Figure 5 of Mishra et al., contention is 1 and 1.875, distance 2 and 4, effective hops 4 and 11.5', () => {
    const communicating = (leaf: number): number => [4, 2][leaf]
    expect([contention(topology, communicating, 0, 0), contention(topology, communicating, 0, 1)]).toEqual([1, 1.875])
    expect([distance(topology, 0, 1), distance(topology, 0, 4)]).toEqual([2, 4])
    const hops = effectiveHops(topology, (leaf) => [2, 0][leaf], job1)
    expect([hops(0, 1), hops(0, 4)]).toEqual([4, 11.5])
  })
  it('in Figure 5 of Mishra et al., recursive-doubling costs more with the ranks in another order', () => {
    const cost = (ranks: ReadonlyArray<number>): number =>
      communicationCost(topology, (leaf) => [2, 0][leaf], ranks, patternOf('recursive-doubling'))
    expect(cost(job1)).toBe(4 + 11.5)
    expect(cost([0, 4, 5, 1])).toBe(11.5 + 11.5)
    expect(cost([0])).toBe(0)
  })
})

test('the measure `sized` weighs each step by its messages, and `plain` counts hops without contention', () => {
  const topology = parseTopology('pgft:2;2,2;1,1;1,1')
  const halving = patternOf('recursive-halving-vector-doubling')
  const cost = (measure: 'effective' | 'sized' | 'plain', others: number): number =>
    communicationCost(topology, () => others, [0, 1, 2, 3], halving, measure)
  // Without other jobs, contention is 1 on a leaf, and 1 + 1 + 1/2 between the leaves.
  expect([cost('effective', 0), cost('sized', 0), cost('plain', 0)]).toEqual([4 * 3.5 + 4, 4 * 3.5 + 2 * 4, 6])
  expect(cost('plain', 7)).toBe(6)
})

describe('adjustedRunTime (equation 7 of Mishra et al.)', () => {
  it('adjustedRunTime changes only the share of communication in the run time', () => {
    expect(adjustedRunTime(100_000, 500, 15, 20)).toBe(87_500)
    expect(adjustedRunTime(100_000, 0, 15, 20)).toBe(100_000)
    expect(adjustedRunTime(1001, 333, 2, 1)).toBe(1334)
  })
  it('adjustedRunTime does not change the run time if the costs are equal, or if the default cost is 0', () => {
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.nat(1000),
        fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }),
        (runTime, share, cost) => {
          expect(adjustedRunTime(runTime, share, cost, cost)).toBe(runTime)
          expect(adjustedRunTime(runTime, share, 0, 0)).toBe(runTime)
        },
      ),
    )
  })
})

test('hopBytes of a matrix counts every pair once, with the contention of equations 2 and 3 of Mishra et al.', () => {
  // The machine has two leaves of 4 nodes. Two ranks are on the first leaf; one rank and a node of a second job are on
  // the second leaf.
  const topology = parseTopology('pgft:2;4,2;1,1;1,1')
  const others = (leaf: number): number => (leaf === 1 ? 1 : 0)
  const matrix = [
    [9, 10, 4],
    [10, 9, 0],
    [2, 0, 9],
  ]
  const within = 2 / 4
  const across = 2 / 4 + 2 / 4 + (2 + 2) / (4 + 4) / 2
  expect(hopBytes(topology, others, [0, 1, 4], matrix)).toEqual({
    plain: 10 * 2 + 3 * 4,
    effective: 10 * 2 * (1 + within) + 3 * 4 * (1 + across),
  })
  expect(() => hopBytes(topology, others, [0, 1], matrix)).toThrow(
    new RangeError('the matrix has 3 ranks, the job has 2'),
  )
})
