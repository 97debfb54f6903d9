import type { StateView } from '@cloister/placement'
import type { LeafHeap } from '../leaf-heap.ts'

/**
 * Gives a job all free nodes of each leaf of the heap in turn, until the job has `nodes` nodes.
 *
 * @param shares output: number of nodes of the job on each leaf, by leaf id
 */
export function fillLeaves(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array): void {
  for (let rest = nodes; rest > 0;) {
    const leaf = heap.next()
    shares[leaf] = Math.min(rest, state.freeNodesOnLeaf(leaf))
    rest -= shares[leaf]
  }
}
