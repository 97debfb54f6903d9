import type { StateView } from '@cloister/placement'
import type { LeafHeap } from '../leaf-heap.ts'

/** Gives a job all free nodes of each leaf of the heap in turn, up to `nodes`. @param shares output, as for `Divide` */
export function fillLeaves(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array): void {
  for (let rest = nodes; rest > 0;) {
    const leaf = heap.next()
    shares[leaf] = Math.min(rest, state.freeNodesOnLeaf(leaf))
    rest -= shares[leaf]
  }
}
