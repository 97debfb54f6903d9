import { bindPolicy, ClusterState, type Resources, type PlacementPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Draw } from './draw.ts'

/** The allocations of jobs that run side by side, from a random history of starts and ends under a policy. */
export function runningJobs(
  topology: Topology,
  policy: PlacementPolicy<any, any>,
  draw: Draw,
  steps: number,
): ReadonlyArray<Resources> {
  const { placer } = bindPolicy(policy, topology)
  const state = new ClusterState(topology, { index: placer.index })
  const pod = topology.nodes / topology.pods
  for (let step = 0; step < steps; step++) {
    const nodes = 1 + draw.below([4, pod, 2 * pod, topology.nodes][draw.below(4)])
    const outcome = placer.place(
      state,
      {
        purpose: 'start',
        job: `${step}`,
        nodes,
        now: 0,
        submitted: 0,
        estimate: undefined,
        bandwidth: undefined,
        communication: undefined,
      },
      state.index,
    )
    if (outcome.ok)
      state.apply({
        job: `${step}`,
        nodes: outcome.nodes,
        links: outcome.links,
        estimatedEnd: draw.below(100),
        startOrder: step,
      })
    else if (state.running.length > 0) state.release(state.running[draw.below(state.running.length)])
  }
  return state.running
}
