import { ClusterState, type Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/**
 * Returns the number of nodes of the largest job that a policy places on the empty machine; 0 if the policy places no
 * job. The job is not communication-intensive and names no bandwidth.
 */
export function largestJob(placer: Placer<any>, topology: Topology): number {
  const state = new ClusterState<any>(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const request = { purpose: 'start', job: '1', now: 0, submitted: 0, estimate: 1000 } as const
  for (let nodes = topology.nodes; nodes > 0; nodes--) {
    const outcome = placer.place(
      state,
      { ...request, nodes, bandwidth: undefined, communication: undefined },
      state.index,
    )
    if (outcome.ok) return nodes
  }
  return 0
}
