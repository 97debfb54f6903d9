import type { StateView } from '@cloister/placement'
import { LeafHeap } from '../leaf-heap.ts'
import type { Divide } from '../lowest-switch-placer.ts'
import { fillLeaves } from './fill-leaves.ts'
import type { Topology } from '@cloister/topology'

/**
 * Returns the communication ratio of a leaf, equation 1 of Mishra, Agrawal and Malakar (ICPP Workshops 2020): L_comm /
 * L_busy + L_busy / L_nodes; 0 for a leaf without busy nodes. A single division gives equal numbers for equal ratios,
 * so rounding never decides between leaves.
 */
export function communicationRatio(communicating: number, busy: number, nodes: number): number {
  return busy === 0 ? 0 : (communicating * nodes + busy * busy) / (busy * nodes)
}

/**
 * Returns a function that divides a job by the communication ratios of the leaves: lines 7-18 of Algorithm 1 of Mishra,
 * Agrawal and Malakar (ICPP Workshops 2020).
 */
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
