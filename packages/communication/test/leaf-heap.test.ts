import { ClusterState } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { LeafHeap } from '../src/index.ts'

const topology = parseTopology('pgft:2;2,40;1,2;1,1')

test('LeafHeap returns the leaves with free nodes in order of their keys, then of their ids', () => {
  const heap = new LeafHeap(topology.leaves)
  for (let seed = 0; seed < 200; seed++) {
    const draw = new Draw(seed)
    const state = new ClusterState(topology)
    state.fail({ nodes: [...topology.leafOfNode.keys()].filter(() => draw.once(2)), links: [] })
    const leaves = [...Array.from({ length: topology.leaves }).keys()].filter(() => !draw.once(4))
    const keys = leaves.map(() => draw.below(6) / 2)
    const keyOf = (leaf: number): number => keys[leaves.indexOf(leaf)]
    heap.fill(state, Int32Array.from(leaves), keyOf)
    const taken: Array<number> = []
    for (let leaf = heap.next(); leaf >= 0; leaf = heap.next()) taken.push(leaf)
    const expected = leaves.filter((leaf) => state.freeNodesOnLeaf(leaf) > 0)
    expect(taken).toEqual(expected.sort((a, b) => keyOf(a) - keyOf(b) || a - b))
    const tieOf = (leaf: number): number => (leaf * 7) % 3
    heap.fill(state, Int32Array.from(leaves), keyOf, tieOf)
    expect(Array.from(expected, () => heap.next())).toEqual(
      expected.sort((a, b) => keyOf(a) - keyOf(b) || tieOf(a) - tieOf(b) || a - b),
    )
  }
})
