import type { StateView } from '@cloister/placement'
import { LeafHeap } from '../leaf-heap.ts'
import type { Divide } from '../lowest-switch-placer.ts'
import { fillLeaves } from './fill-leaves.ts'
import type { Topology } from '@cloister/topology'

/** Lines 6-36 of Algorithm 2. */
export function powersOfTwo({ leaves: count }: Topology): Divide {
  const heap = new LeafHeap(count)
  const visited = new Int32Array(count)
  return (state, { nodes, communication }, leaves, shares) => {
    const sign = communication === undefined ? 1 : -1
    heap.fill(state, leaves, (leaf) => sign * state.freeNodesOnLeaf(leaf))
    if (communication === undefined) fillLeaves(state, heap, nodes, shares)
    else divide(state, heap, nodes, shares, visited)
  }
}

/**
 * From the leaf with most free nodes on, the largest power of two that fits and is no larger than the one before; then,
 * from the last of these leaves back, what they have left.
 */
function divide(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array, visited: Int32Array): void {
  let rest = nodes
  let visits = 0
  // The text of section 4.2, not the printed S <- N, which for sizes that are no power of two gives none anywhere.
  let size = 1 << (31 - Math.clz32(nodes))
  for (let leaf = heap.next(); leaf >= 0 && rest > 0; leaf = heap.next()) {
    while (size > state.freeNodesOnLeaf(leaf)) size >>= 1
    shares[leaf] = Math.min(size, rest)
    rest -= shares[leaf]
    visited[visits++] = leaf
  }
  for (let i = visits - 1; rest > 0; i--) {
    const more = Math.min(state.freeNodesOnLeaf(visited[i]) - shares[visited[i]], rest)
    shares[visited[i]] += more
    rest -= more
  }
}
