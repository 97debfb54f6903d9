import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SpreadOfNodes } from '../src/index.ts'

const machines = fc
  .constantFrom('radix:4', 'radix:6', 'pgft:3;3,2,4;1,2,2;1,1,1', 'pgft:2;4,3;1,2;1,1', 'pgft:1;7;1;1')
  .map((spec) => parseTopology(spec))
const nodesOf = (topology: Topology): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.uniqueArray(fc.nat(topology.nodes - 1), { minLength: 1 }).map((nodes) => nodes.toSorted((a, b) => a - b))
const cases = machines.chain((topology) => nodesOf(topology).map((nodes) => ({ topology, nodes })))

/** Measures the distance of each pair of nodes, as a naive model of `SpreadOfNodes`. */
function naive({ leafOfNode, podOfLeaf }: Topology, nodes: ReadonlyArray<number>): number {
  let [sum, pairs] = [0, 0]
  for (const a of nodes)
    for (const b of nodes) {
      if (a === b) continue
      pairs++
      const [leafA, leafB] = [leafOfNode[a], leafOfNode[b]]
      sum += leafA === leafB ? 2 : podOfLeaf[leafA] === podOfLeaf[leafB] ? 4 : 6
    }
  return sum / pairs
}

it('SpreadOfNodes counts leaves and pods, and has the mean distance over all pairs of nodes', () => {
  fc.assert(
    fc.property(cases, ({ topology, nodes }) => {
      const { leafOfNode, podOfLeaf } = topology
      const found = new SpreadOfNodes(topology).of(nodes)
      expect(found.leaves).toBe(new Set(nodes.map((node) => leafOfNode[node])).size)
      expect(found.pods).toBe(new Set(nodes.map((node) => podOfLeaf[leafOfNode[node]])).size)
      if (nodes.length === 1) expect(found.hops).toBeNaN()
      else expect(found.hops).toBeCloseTo(naive(topology, nodes), 9)
    }),
  )
})

it('no nodes of a regular tree are closer together than the nodes of SpreadOfNodes.least', () => {
  fc.assert(
    fc.property(cases, ({ topology, nodes }) => {
      const spread = new SpreadOfNodes(topology)
      const [found, least] = [spread.of(nodes), spread.least(nodes.length)]
      expect(least.leaves).toBeLessThanOrEqual(found.leaves)
      expect(least.pods).toBeLessThanOrEqual(found.pods)
      if (nodes.length > 1) expect(least.hops).toBeLessThanOrEqual(found.hops + 1e-12)
    }),
  )
})
