import { runTimeOn } from '@cloister/communication'
import type { RunTimes } from '@cloister/kernel'
import { type BoundPolicy, bindPolicy, PolicyError } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { builtins } from './policy/policy-lookup.ts'
import { Problem } from './errors/problem.ts'

/** How a log's header says that run times follow communication: against which policy's placement. */
export const byCommunication = 'communication:slurm-tree'

/**
 * The run times that a header names, or undefined where they are fixed: what a job takes on a placement, against where Slurm's own
 * policy would put it in the same state (Mishra et al., equation 7).
 *
 * @throws Problem where they are not known, or Slurm's policy does not serve the machine
 */
export function runTimesOf(name: string | undefined, topology: Topology): RunTimes | undefined {
  if (name === undefined) return undefined
  if (name !== byCommunication)
    throw new Problem(
      `run times are ${JSON.stringify(name)}, of which this program knows nothing: it knows ${byCommunication}`,
    )
  const { placer } = slurmTree(topology)
  return (state, request, placement, time) => {
    if (request.communication === undefined) return time
    const byDefault = placer.place(state, request, undefined)
    if (!byDefault.ok) return time
    return runTimeOn(
      topology,
      (leaf) => state.communicatingNodesOnLeaf(leaf),
      time,
      request.communication,
      placement.ranks ?? placement.nodes,
      byDefault.nodes,
    )
  }
}

function slurmTree(topology: Topology): BoundPolicy<unknown, unknown> {
  try {
    return bindPolicy(
      builtins.find(({ name }) => name === 'slurm-tree')!,
      topology,
      {},
    )
  } catch (error) {
    if (error instanceof PolicyError) throw new Problem(`--run-times communication: ${error.message}`)
    throw error
  }
}
