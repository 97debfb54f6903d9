import { policySuite } from '@cloister/placement/testing'
import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import { switchGraph, type Topology } from '@cloister/topology'
import { disagreements, freeOn, lowestSwitch, nodesOn, shares, small, type Use, wide } from '@cloister/used-machines'
import { expect, test } from 'vitest'
import { greedy } from '../src/index.ts'

policySuite(greedy, { topologies: [wide, ...small] })

/** Returns the communication ratio of a leaf (equation 1 of Mishra et al.) as an integer numerator and denominator. */
function ratio(topology: Topology, uses: ReadonlyArray<Use>, leaf: number): readonly [bigint, bigint] {
  const nodes = nodesOn(topology, leaf)
  const L_comm = BigInt(nodes.filter((node) => uses[node] === 'communicates').length)
  const L_busy = L_comm + BigInt(nodes.filter((node) => uses[node] === 'computes').length)
  const L_nodes = BigInt(nodes.length)
  return L_busy === 0n ? [0n, 1n] : [L_comm * L_nodes + L_busy * L_busy, L_busy * L_nodes]
}

/** Follows Algorithm 1 of Mishra et al. line by line. */
function algorithm1(
  topology: Topology,
  uses: ReadonlyArray<Use>,
  N: number,
  communicates: boolean,
): Map<number, number> | undefined {
  const P = lowestSwitch(topology, uses, N)
  if (P === undefined) return undefined
  const A = new Map<number, number>()
  const increasing = (a: number, b: number): number => {
    const [an, ad] = ratio(topology, uses, a)
    const [bn, bd] = ratio(topology, uses, b)
    return Number(an * bd - bn * ad)
  }
  let R = N
  for (const leaf of P.toSorted((a, b) => (communicates ? increasing(a, b) : increasing(b, a)) || a - b)) {
    const share = Math.min(freeOn(topology, uses, leaf).length, R)
    if (share > 0) A.set(leaf, share)
    R -= share
  }
  return A
}

test('greedy follows Algorithm 1 in every state of small machines, and on leaves of more than 32 nodes', () => {
  expect(disagreements(greedy, algorithm1)).toEqual([])
  // The comparison must detect a version of Algorithm 1 with a single wrong answer.
  const wrongOnce: typeof algorithm1 = (topology, uses, nodes, communicates) =>
    uses.every((use) => use === 'free') && nodes === 3 ? undefined : algorithm1(topology, uses, nodes, communicates)
  expect(disagreements(greedy, wrongOnce).length).toBeGreaterThan(0)
})

test('greedy gives communication-intensive jobs the leaves with the lowest communication ratios, and other jobs the leaves with the highest', () => {
  const topology = switchGraph({ name: 'two levels', leaves: [4, 4, 4], parents: [[[0], [0], [0]]] })
  const uses: Array<Use> = [
    'communicates',
    'free',
    'free',
    'free',
    'computes',
    'computes',
    'free',
    'free',
    'free',
    'free',
    'free',
    'free',
  ]
  // The communication ratios of the three leaves are 1/1 + 1/4, 0/2 + 2/4, and 0 for the empty leaf.
  const place = shares(greedy, topology, uses)
  expect(place(5, true)).toEqual(
    new Map([
      [1, 1],
      [2, 4],
    ]),
  )
  expect(place(5, false)).toEqual(
    new Map([
      [0, 3],
      [1, 2],
    ]),
  )
  // If the job fits on one leaf, greedy ignores the ratios and takes the fitting leaf with the fewest free nodes.
  expect(place(2, true)).toEqual(new Map([[1, 2]]))
})

test('greedy refuses any option', () => {
  expect(() => bindPolicy(greedy, wide, { order: 'last' })).toThrow('order')
})

test('greedy gives jobs submitted before `from` the leaves with the fewest free nodes, as slurm-tree does', () => {
  const topology = switchGraph({ name: 'two levels', leaves: [4, 4, 4], parents: [[[0], [0], [0]]] })
  const state = new ClusterState(topology)
  const running = { job: 'a', nodes: [0], links: [], communicates: true, estimatedEnd: Infinity, startOrder: 0 }
  state.apply(running)
  const { placer } = bindPolicy(greedy, topology, { from: 10 })
  const communication = { pattern: 'recursive-doubling', share: 500 }
  const nodesAt = (submitted: number): ReadonlyArray<number> | undefined => {
    const outcome = ask(placer, state, 5, { communication, submitted })
    return outcome.ok ? Array.from(outcome.nodes) : undefined
  }
  expect(nodesAt(9999)).toEqual([1, 2, 3, 4, 5])
  expect(nodesAt(10_000)).toEqual([4, 5, 6, 7, 8])
})
