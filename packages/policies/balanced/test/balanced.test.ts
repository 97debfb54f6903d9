import { policySuite } from '@cloister/placement/testing'
import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { disagreements, freeOn, lowestSwitch, shares, small, type Use, wide } from '@cloister/used-machines'
import { expect, test } from 'vitest'
import { balanced } from '../src/index.ts'

policySuite(balanced, { topologies: [wide, ...small] })

/**
 * Follows Algorithm 2 of Mishra et al. line by line, with one exception: the first limit of nodes per leaf is the
 * largest power of two within the requested nodes N.
 */
function algorithm2(
  topology: Topology,
  uses: ReadonlyArray<Use>,
  N: number,
  communicates: boolean,
): Map<number, number> | undefined {
  const P = lowestSwitch(topology, uses, N)
  if (P === undefined) return undefined
  const A = new Map<number, number>()
  if (P.length === 1) return A.set(P[0], N)
  const free = new Map(P.map((leaf) => [leaf, freeOn(topology, uses, leaf).length]))
  let R = N
  const add = (leaf: number, count: number): void => {
    if (count > 0) A.set(leaf, (A.get(leaf) ?? 0) + count)
    R -= count
    free.set(leaf, free.get(leaf)! - count)
  }
  if (!communicates) {
    for (const leaf of P.toSorted((a, b) => free.get(a)! - free.get(b)! || a - b))
      add(leaf, Math.min(free.get(leaf)!, R))
    return A
  }
  let S = 2 ** (N.toString(2).length - 1)
  const L = P.toSorted((a, b) => free.get(b)! - free.get(a)! || a - b)
  for (const leaf of L) {
    while (S > free.get(leaf)!) S = Math.floor(S / 2)
    add(leaf, Math.min(S, R))
  }
  for (const leaf of L.toReversed()) add(leaf, Math.min(free.get(leaf)!, R))
  return A
}

test('balanced follows Algorithm 2 in every state of small machines, and on leaves of more than 32 nodes', () => {
  expect(disagreements(balanced, algorithm2)).toEqual([])
})

/**
 * Returns a topology of leaves below one switch, and the use of each node. Each leaf has `size` nodes; `free` has the
 * number of free nodes of each leaf.
 */
function below(free: ReadonlyArray<number>, size: number): readonly [Topology, Array<Use>] {
  const topology = switchGraph({ name: 'two levels', leaves: free.map(() => size), parents: [free.map(() => [0])] })
  return [
    topology,
    free.flatMap((count) => Array.from({ length: size }, (_, at): Use => (at < size - count ? 'computes' : 'free'))),
  ]
}

test('balanced gives the nodes of Table 2 of Mishra et al. to a job of 512 nodes', () => {
  const place = shares(balanced, ...below([160, 150, 100, 80, 70, 50, 40], 160))
  expect(place(512, true)).toEqual(
    new Map([
      [0, 128],
      [1, 128],
      [2, 64],
      [3, 64],
      [4, 64],
      [5, 32],
      [6, 32],
    ]),
  )
  expect(place(512, false)).toEqual(
    new Map([
      [0, 22],
      [1, 150],
      [2, 100],
      [3, 80],
      [4, 70],
      [5, 50],
      [6, 40],
    ]),
  )
})

test('balanced takes the remaining nodes from the leaves with the fewest free nodes first', () => {
  // The leaves with 7, 5 and 3 free nodes first give 4, 4 and 2 nodes, then in reverse order 1, 1 and 2 more nodes.
  expect(shares(balanced, ...below([7, 3, 5], 8))(14, true)).toEqual(
    new Map([
      [0, 6],
      [1, 3],
      [2, 5],
    ]),
  )
})

test('balanced divides sizes that are no power of two into powers of two, as in the text of Mishra et al.', () => {
  // Halving 100, as Algorithm 2 does, would give 50 and 50.
  expect(shares(balanced, ...below([70, 50], 80))(100, true)).toEqual(
    new Map([
      [0, 64],
      [1, 36],
    ]),
  )
})

test('balanced with the choices of the authors prefers fewer communicating nodes, and orders ranks by leaves', () => {
  const topology = parseTopology('pgft:2;5,6;1,2;1,1')
  const state = new ClusterState(topology)
  state.apply({ job: 'a', nodes: [0, 5, 10], links: [], communicates: false, estimatedEnd: 1, startOrder: 0 })
  state.apply({ job: 'b', nodes: [15, 20, 25, 26], links: [], communicates: true, estimatedEnd: 1, startOrder: 1 })
  const { placer } = bindPolicy(balanced, topology, { ties: 'communicating', ranks: 'leaves' })
  const communication = { pattern: 'ring', share: 500 }
  // Leaves 0 to 4 have four free nodes each; no job on leaves 0 to 2 communicates.
  expect(ask(placer, state, 6, { communication })).toMatchObject({
    nodes: Int32Array.of(1, 2, 3, 4, 6, 7),
    ranks: Int32Array.of(1, 2, 3, 4, 6, 7),
  })
  state.apply({ job: 'c', nodes: [1, 2], links: [], communicates: false, estimatedEnd: 1, startOrder: 2 })
  expect(ask(placer, state, 9, { communication })).toMatchObject({
    nodes: Int32Array.of(6, 7, 8, 9, 11, 12, 13, 14, 16),
    ranks: Int32Array.of(6, 7, 8, 9, 11, 12, 13, 14, 16),
  })
})

test('balanced refuses an unknown option', () => {
  expect(() => bindPolicy(balanced, wide, { order: 'last' })).toThrow('order')
})
