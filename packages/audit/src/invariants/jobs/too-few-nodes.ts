import type { Refuse } from '@cloister/eventlog'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Invariant } from '../../invariant.ts'

const CODE = 'too-few-nodes'

export const tooFewNodes: Invariant = {
  name: CODE,
  property:
    'If the policy claims exact sizes, a job is refused as `too-few-nodes` only if it requests more nodes than are free. It is rejected as `too-few-nodes` only if it requests more nodes than the machine has. Programs before format version 2 counted only the free nodes that no reservation names; `nearest` of such a refusal has that number.',
  begin(model, tally) {
    // A policy that rounds sizes up may need more nodes than the job requests, and no record has this number.
    if (!model.header.policy.claims.exact_size)
      return 'the policy rounds sizes up, and no record says to how many nodes'
    const { nodes } = model.topology
    return {
      refuse(record) {
        const { job, freeNodes } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= freeNodes && !countsBesideReservations(record, job.size, model))
          tally.violated(
            record,
            `job ${job.id} asks for ${job.size} nodes and is refused as ${CODE}, but ${freeNodes} are free`,
          )
      },
      reject(record) {
        const { job } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= nodes)
          tally.violated(
            record,
            `job ${job.id} asks for ${job.size} nodes and is rejected as ${CODE}, but the machine has ${nodes}`,
          )
      },
    }
  },
}

/** Returns true if `nearest` has the number of free nodes without a reservation, and the job requests more. */
function countsBesideReservations({ nearest }: Refuse, size: number, model: ClusterModel): boolean {
  const { have } = Object(nearest) as { readonly have?: unknown }
  if (model.reservations.size === 0 || typeof have !== 'number' || have >= size) return false
  const reserved = new Set<number>()
  for (const { resources } of model.reservations.values())
    for (const resource of resources) if (model.isFreeNode(resource)) reserved.add(resource)
  return have === model.freeNodes - reserved.size
}
