import { runTimeOn } from '@cloister/communication'
import type { OptionsRef } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import { bindPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as Effect from 'effect/Effect'
import { attempt, type TaggedProblem } from './errors.ts'
import { Policies } from './services.ts'

/** Name of the reference policy. Run times are relative to the placements of this policy. */
const reference = 'slurm-tree'

/**
 * Returns a function for the run time of a job on a placement; undefined if run times are fixed or follow contention. A
 * job's run time changes with its communication cost relative to Slurm's tree placement in the same state (Mishra et
 * al., equation 7). Run times of jobs that do not communicate, or that `slurm-tree` refuses, stay unchanged.
 */
export function runTimesOf(
  model: OptionsRef['runTimes'] | 'fixed',
  topology: Topology,
): Effect.Effect<RunTimes | undefined, TaggedProblem, Policies> {
  // The slowdown by contention depends on the running jobs, so contention has no run times by placement.
  if (model !== 'communication') return Effect.succeed(undefined)
  return Effect.gen(function* () {
    const { policy } = yield* (yield* Policies).find(reference)
    const { placer } = yield* attempt(() => bindPolicy(policy, topology, {}), 'runTimes')
    const runTimes: RunTimes = (state, request, placement, time) => {
      if (request.communication === undefined) return time
      const byDefault = placer.place(state, request, undefined)
      if (!byDefault.ok) return time
      const communicating = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
      const order = placement.ranks ?? placement.nodes
      return runTimeOn(topology, communicating, time, request.communication, order, byDefault.nodes)
    }
    return runTimes
  })
}
