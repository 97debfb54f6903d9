import { communicationCost, patternOf } from '@cloister/communication'
import { bindPolicy, type Placement, type Request, type StateView } from '@cloister/placement'
import { policySuite, request } from '@cloister/placement/testing'
import { balanced } from '@cloister/policy-balanced'
import { greedy } from '@cloister/policy-greedy'
import { lowestCommonLevel, type Topology } from '@cloister/topology'
import { scattered, small, stateOf, usesNumber, wide } from '@cloister/used-machines'
import { expect, test } from 'vitest'
import { adaptive } from '../src/index.ts'

/** Patterns of communication in the paper by Mishra et al. */
const patterns = ['recursive-doubling', 'recursive-halving-vector-doubling', 'binomial-tree'] as const
type Pattern = (typeof patterns)[number]

policySuite(adaptive, { topologies: [wide, ...small] })

/**
 * Computes the cost of nodes for a pattern by equation 6 of Mishra et al., pair by pair. Each step of the pattern is a
 * set of pairs of ranks.
 */
function naiveCost(topology: Topology, state: StateView, nodes: ReadonlyArray<number>, pattern: Pattern): number {
  const L = (node: number): number => topology.leafOfNode[node]
  const L_nodes = (leaf: number): number => topology.leafOfNode.filter((each) => each === leaf).length
  const L_comm = (leaf: number): number =>
    state.communicatingNodesOnLeaf(leaf) + nodes.filter((node) => L(node) === leaf).length
  const share = (leaf: number): number => L_comm(leaf) / L_nodes(leaf)
  const C = (i: number, j: number): number =>
    L(i) === L(j)
      ? share(L(i))
      : share(L(i)) + share(L(j)) + 0.5 * ((L_comm(L(i)) + L_comm(L(j))) / (L_nodes(L(i)) + L_nodes(L(j))))
  const hops = (i: number, j: number): number => 2 * (lowestCommonLevel(topology, i, j) + 1) * (1 + C(i, j))
  let cost = 0
  for (let distance = 1; distance < nodes.length; distance *= 2) {
    const S = nodes.flatMap((_, rank) => {
      // In a binomial tree, a rank receives from the rank whose number lacks the rank's lowest set bit.
      const other = pattern === 'binomial-tree' ? ((rank & -rank) === distance ? rank - distance : -1) : rank ^ distance
      return other >= 0 && other < nodes.length ? [[rank, other]] : []
    })
    cost += Math.max(...S.map(([i, j]) => hops(nodes[i], nodes[j])))
  }
  return cost
}

function asking(nodes: number, pattern: string | undefined): Request {
  return request(nodes, { communication: pattern === undefined ? undefined : { pattern, share: 500 } })
}

test.each(patterns)('communicationCost of the pattern %s agrees with equation 6 of Mishra et al.', (pattern) => {
  for (const topology of [...small, wide]) {
    for (let every = 1; every < 12; every++) {
      const state = stateOf(topology, scattered(topology, every))
      const nodes = [...topology.leafOfNode.keys()].filter((node) => (node * 7 + every) % (every + 1) === 0)
      if (topology.levels.length === lowestCommonLevel(topology, nodes[0], nodes.at(-1)!)) continue
      const cost = communicationCost(
        topology,
        (leaf) => state.communicatingNodesOnLeaf(leaf),
        nodes,
        patternOf(pattern),
      )
      expect(cost).toBeCloseTo(naiveCost(topology, state, nodes, pattern), 9)
    }
  }
})

/**
 * Compares the choice of adaptive with the costs of both placements. Returns the expected choice; undefined if greedy
 * and balanced give the same placement or refuse the job.
 */
function check(
  topology: Topology,
  state: StateView,
  nodes: number,
  pattern: Pattern | undefined,
): 'greedy' | 'balanced' | undefined {
  const [one, other, chosen] = [greedy, balanced, adaptive].map((policy) =>
    bindPolicy<any, any>(policy, topology).placer.place(state, asking(nodes, pattern), undefined),
  )
  if (!one.ok || !other.ok || !chosen.ok) {
    expect(chosen).toEqual(one)
    expect(chosen).toEqual(other)
    return undefined
  }
  const [costOfGreedy, costOfBalanced] = [one, other].map((placement) =>
    naiveCost(topology, state, Array.from(placement.nodes), pattern ?? 'recursive-doubling'),
  )
  const ids = ({ nodes: placed }: Placement): string => Array.from(placed).join()
  if (Math.abs(costOfGreedy - costOfBalanced) < 1e-9) {
    expect([ids(one), ids(other)]).toContain(ids(chosen))
    return undefined
  }
  const better = costOfGreedy < costOfBalanced === (pattern !== undefined) ? 'greedy' : 'balanced'
  expect(ids(chosen)).toBe(ids(better === 'greedy' ? one : other))
  return better
}

test("adaptive gives communication-intensive jobs the cheaper of greedy's and balanced's placements, and other jobs the dearer", () => {
  const choices = new Map<string, number>()
  const count = (topology: Topology, state: StateView, nodes: number): void => {
    for (const pattern of [undefined, ...patterns]) {
      const choice = `${check(topology, state, nodes, pattern)} ${pattern === undefined ? 'computes' : 'communicates'}`
      choices.set(choice, (choices.get(choice) ?? 0) + 1)
    }
  }
  for (const topology of small) {
    for (let number = 0; number < 3 ** topology.nodes; number += 61)
      for (let nodes = 1; nodes <= topology.nodes; nodes++)
        count(topology, stateOf(topology, usesNumber(topology, number)), nodes)
  }
  for (let every = 0; every < 12; every++)
    for (const nodes of [1, 7, 33, 64, 128]) count(wide, stateOf(wide, scattered(wide, every)), nodes)
  for (const choice of ['greedy computes', 'greedy communicates', 'balanced computes', 'balanced communicates'])
    expect(choices.get(choice) ?? 0, choice).toBeGreaterThan(0)
})

test('adaptive uses the configured pattern for the cost of a job with an unknown pattern', () => {
  for (let number = 0; number < 6561; number += 97) {
    const state = stateOf(small[0], usesNumber(small[0], number))
    for (const pattern of patterns) {
      const { placer } = bindPolicy(adaptive, small[0], { pattern })
      for (let nodes = 3; nodes < 7; nodes++)
        expect(placer.place(state, asking(nodes, 'halo'), undefined)).toEqual(
          placer.place(state, asking(nodes, pattern), undefined),
        )
    }
  }
  expect(() => bindPolicy(adaptive, wide, { pattern: 'halo' })).toThrow(
    /pattern: Expected a pattern or a mixture of patterns/,
  )
})
