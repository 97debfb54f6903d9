import { bindPolicy, type Placement, type Request, type StateView } from '@cloister/placement'
import { policySuite } from '@cloister/placement/testing'
import { balanced } from '@cloister/policy-balanced'
import { greedy } from '@cloister/policy-greedy'
import { lowestCommonLevel, parseSlurmTopology, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { costOf, effectiveHops } from '../src/cost.ts'
import { adaptive } from '../src/index.ts'
import { type Pattern, patterns } from '../src/patterns.ts'
import { scattered, small, stateOf, usesNumber, wide } from './machine.ts'

policySuite(adaptive, { topologies: [wide, ...small] })

/** Equation 6 over nodes, pair by pair, with the steps as sets of pairs. */
function naiveCost(topology: Topology, state: StateView, nodes: ReadonlyArray<number>, pattern: Pattern): number {
  const L = (node: number): number => topology.leafOfNode[node]
  const L_nodes = (leaf: number): number => topology.leafOfNode.filter((each) => each === leaf).length
  const L_comm = (leaf: number): number => state.communicatingNodesOnLeaf(leaf) + nodes.filter((node) => L(node) === leaf).length
  const share = (leaf: number): number => L_comm(leaf) / L_nodes(leaf)
  const C = (i: number, j: number): number => (L(i) === L(j)
    ? share(L(i))
    : share(L(i)) + share(L(j)) + 0.5 * ((L_comm(L(i)) + L_comm(L(j))) / (L_nodes(L(i)) + L_nodes(L(j)))))
  const hops = (i: number, j: number): number => 2 * (lowestCommonLevel(topology, i, j) + 1) * (1 + C(i, j))
  let cost = 0
  for (let distance = 1; distance < nodes.length; distance *= 2) {
    const S = nodes.flatMap((_, rank) => {
      // In a binomial tree a rank hears from the one that is less by its lowest bit.
      const other = pattern === 'binomial-tree' ? ((rank & -rank) === distance ? rank - distance : -1) : rank ^ distance
      return other >= 0 && other < nodes.length ? [[rank, other]] : []
    })
    cost += Math.max(...S.map(([i, j]) => hops(nodes[i], nodes[j])))
  }
  return cost
}

function request(nodes: number, pattern: string | undefined): Request {
  return { purpose: 'start', job: 'a', nodes, now: 0, walltime: undefined, bandwidth: undefined, communication: pattern === undefined ? undefined : { pattern, share: 500 } }
}

describe("the paper's Figure 5: job 1 on n0, n1, n4, n5 and job 2 on n2, n3 of two leaves of 4", () => {
  const topology = parseSlurmTopology('SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=s2 Switches=s[0-1]', 'figure 5')
  const others = (leaf: number): number => (leaf === 0 ? 2 : 0)
  test('effective hops are 4 on a leaf and 11.5 between the two', () => {
    const hops = effectiveHops(topology, others, [0, 1, 4, 5])
    // 2 (1 + 1) and 4 (1 + 1.875).
    expect([hops(0, 0), hops(0, 1)]).toEqual([4, 11.5])
  })
  test('recursive doubling costs one step on leaves and one between them', () => {
    expect(costOf(topology, others, [0, 1, 4, 5], 'recursive-doubling')).toBe(15.5)
    expect(costOf(topology, others, [0], 'recursive-doubling')).toBe(0)
  })
})

test.each(patterns)('%s costs what equation 6 says of each pair', (pattern) => {
  for (const topology of [...small, wide]) {
    for (let every = 1; every < 12; every++) {
      const state = stateOf(topology, scattered(topology, every))
      const nodes = [...topology.leafOfNode.keys()].filter((node) => (node * 7 + every) % (every + 1) === 0)
      if (topology.levels.length === lowestCommonLevel(topology, nodes[0], nodes.at(-1)!)) continue
      const cost = costOf(topology, (leaf) => state.communicatingNodesOnLeaf(leaf), nodes, pattern)
      expect(cost).toBeCloseTo(naiveCost(topology, state, nodes, pattern), 9)
    }
  }
})

/** What the policy should choose, and whether it had a choice. */
function check(topology: Topology, state: StateView, nodes: number, pattern: Pattern | undefined): 'greedy' | 'balanced' | undefined {
  const [one, other, chosen] = [greedy, balanced, adaptive].map((policy) => bindPolicy<any, any>(policy, topology).placer.place(state, request(nodes, pattern), undefined))
  if (!one.ok || !other.ok || !chosen.ok) {
    expect(chosen).toEqual(one)
    expect(chosen).toEqual(other)
    return undefined
  }
  const [costOfGreedy, costOfBalanced] = [one, other].map((placement) => naiveCost(topology, state, Array.from(placement.nodes), pattern ?? 'recursive-doubling'))
  const ids = ({ nodes: placed }: Placement): string => Array.from(placed).join()
  if (Math.abs(costOfGreedy - costOfBalanced) < 1e-9) {
    expect([ids(one), ids(other)]).toContain(ids(chosen))
    return undefined
  }
  const better = (costOfGreedy < costOfBalanced) === (pattern !== undefined) ? 'greedy' : 'balanced'
  expect(ids(chosen)).toBe(ids(better === 'greedy' ? one : other))
  return better
}

test('chooses the cheaper placement for jobs that communicate and the dearer one for others', () => {
  const choices = new Map<string, number>()
  const count = (topology: Topology, state: StateView, nodes: number): void => {
    for (const pattern of [undefined, ...patterns]) {
      const choice = `${check(topology, state, nodes, pattern)} ${pattern === undefined ? 'computes' : 'communicates'}`
      choices.set(choice, (choices.get(choice) ?? 0) + 1)
    }
  }
  for (const topology of small) {
    for (let number = 0; number < 3 ** topology.nodes; number += 61) for (let nodes = 1; nodes <= topology.nodes; nodes++) count(topology, stateOf(topology, usesNumber(topology, number)), nodes)
  }
  for (let every = 0; every < 12; every++) for (const nodes of [1, 7, 33, 64, 128]) count(wide, stateOf(wide, scattered(wide, every)), nodes)
  for (const choice of ['greedy computes', 'greedy communicates', 'balanced computes', 'balanced communicates']) expect(choices.get(choice) ?? 0, choice).toBeGreaterThan(0)
})

test('a pattern of another name is judged by the configured one', () => {
  for (let number = 0; number < 6561; number += 97) {
    const state = stateOf(small[0], usesNumber(small[0], number))
    for (const pattern of patterns) {
      const { placer } = bindPolicy(adaptive, small[0], { pattern })
      for (let nodes = 3; nodes < 7; nodes++) expect(placer.place(state, request(nodes, 'halo'), undefined)).toEqual(placer.place(state, request(nodes, pattern), undefined))
    }
  }
  expect(() => bindPolicy(adaptive, wide, { pattern: 'halo' })).toThrow(/pattern: Expected "recursive-doubling"/)
})
