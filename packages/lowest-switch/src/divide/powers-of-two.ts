import type { StateView } from '@cloister/placement'
import { LeafHeap } from '../leaf-heap.ts'
import type { Divide } from '../lowest-switch-placer.ts'
import { fillLeaves } from './fill-leaves.ts'
import type { Topology } from '@cloister/topology'

/**
 * Returns a function that divides a communication-intensive job into powers of two: lines 6-36 of Algorithm 2 of
 * Mishra, Agrawal and Malakar (ICPP Workshops 2020). Any other job fills the leaves with the fewest free nodes first.
 */
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
 * Each leaf, in descending order of free nodes, gives the largest power of two up to its free nodes and up to the power
 * of the previous leaf. If the job then has too few nodes, the same leaves give their other free nodes, in reverse
 * order.
 */
function divide(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array, visited: Int32Array): void {
  let rest = nodes
  let visits = 0
  // Section 4.2 of Mishra et al. wants powers of two; the printed `S <- N` gives one only if N (`nodes`) is one.
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
