import type { Refuse } from '@cloister/eventlog'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Invariant } from '../../invariant.ts'

const CODE = 'too-few-nodes'

export const tooFewNodes: Invariant = {
  name: CODE,
  property:
    'If the policy claims exact sizes, a job is refused as `too-few-nodes` only if the job requests more nodes than are free. A job is rejected as `too-few-nodes` only if the job requests more nodes than the machine has. Programs before format version 2 counted only the free nodes without a reservation. A refusal of a job by a program before version 2 is accepted if `nearest` has the number of free nodes without a reservation.',
  begin(model, tally) {
    // A policy that rounds sizes up may need more nodes than the job requests, and no record has the rounded size.
    if (!model.header.policy.claims.exact_size)
      return 'the policy does not claim exact sizes, and no record has the number of nodes that the policy looked for'
    const { nodes } = model.topology
    return {
      refuse(record) {
        const { job, freeNodes } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= freeNodes && !countsBesideReservations(record, job.size, model))
          tally.violated(
            record,
            `job ${job.id} requests ${job.size} nodes and is refused as ${CODE}, but ${freeNodes} nodes are free`,
          )
      },
      reject(record) {
        const { job } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= nodes)
          tally.violated(
            record,
            `job ${job.id} requests ${job.size} nodes and is rejected as ${CODE}, but the machine has ${nodes} nodes`,
          )
      },
    }
  },
}

/** Returns true if `nearest` counts only the free nodes without a reservation, as before format version 2. */
function countsBesideReservations({ nearest }: Refuse, size: number, model: ClusterModel): boolean {
  const { have } = Object(nearest) as { readonly have?: unknown }
  if (model.reservations.size === 0 || typeof have !== 'number' || have >= size) return false
  const reserved = new Set<number>()
  for (const { resources } of model.reservations.values())
    for (const resource of resources) if (model.isFreeNode(resource)) reserved.add(resource)
  return have === model.freeNodes - reserved.size
}
