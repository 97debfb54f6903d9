import type { StateView } from '@cloister/placement'
import { LeafHeap } from '../leaf-heap.ts'
import type { Divide } from '../lowest-switch-placer.ts'
import { fillLeaves } from './fill-leaves.ts'
import type { Topology } from '@cloister/topology'

/**
 * Equation 1, how much a leaf's nodes communicate and how few are free: L_comm / L_busy + L_busy / L_nodes. 0 on an empty leaf.
 *
 * It is divided once, not twice, so that equal ratios are equal numbers: then ids decide, never rounding.
 */
export function communicationRatio(communicating: number, busy: number, nodes: number): number {
  return busy === 0 ? 0 : (communicating * nodes + busy * busy) / (busy * nodes)
}

/** Lines 7-18 of Algorithm 1. */
export function byCommunicationRatio({ leaves: count, firstNodeOfLeaf }: Topology): Divide {
  const heap = new LeafHeap(count)
  const ratio = (state: StateView, leaf: number): number =>
    communicationRatio(
      state.communicatingNodesOnLeaf(leaf),
      state.busyNodesOnLeaf(leaf),
      firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf],
    )
  return (state, { nodes, communication }, leaves, shares) => {
    const sign = communication === undefined ? -1 : 1
    heap.fill(state, leaves, (leaf) => sign * ratio(state, leaf))
    fillLeaves(state, heap, nodes, shares)
  }
}
