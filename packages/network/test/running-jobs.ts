import { bindPolicy, ClusterState, type PlacementPolicy, type Resources } from '@cloister/placement'
import { ask, type Draw } from '@cloister/placement/testing'
import type { Topology } from '@cloister/topology'

/** Returns allocations of simultaneous jobs from a random history of starts and ends under a policy. */
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
    const outcome = ask(placer, state, nodes)
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
