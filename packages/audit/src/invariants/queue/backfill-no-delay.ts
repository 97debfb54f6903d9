import type { Allocate } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import { type Reservation, estimateOf } from '../../cluster/jobs.ts'

export const backfillNoDelay: Invariant = {
  name: 'backfill-no-delay',
  property:
    'Under EASY a backfilled job ends, by its estimate, no later than the reservation starts, or takes no node or link of the reservation. A link shared up to a cap may carry the backfilled job and the reserved job if its capacity suffices.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    if (backfill === 'conservative')
      return 'the invariant reservations-apart tests this property under conservative backfilling'
    return {
      allocate(record) {
        const reservation = record.backfill === undefined ? undefined : model.reservations.get(record.backfill)
        const job = model.job
        if (reservation === undefined || reservation.job === job || job === undefined) return
        const estimate = estimateOf(record, job)
        if (estimate === undefined) return
        tally.tested()
        if (model.time + estimate <= reservation.start) return
        if (model.header.policy.claims.links === 'capped' && !model.effort.allows(model.held))
          return tally.violated(record, TOO_MUCH)
        const taken = firstTaken(model, record, reservation)
        if (taken === undefined) return
        const ends = (model.time + estimate) / 1000
        tally.violated(
          record,
          `job ${job.id} takes ${model.nameOf(taken)} until ${ends} s by its estimate, but the reservation of job ${reservation.job.id} has ${model.nameOf(taken)} from ${reservation.start / 1000} s`,
        )
      },
    }
  },
}

/** A link shared up to a cap counts as taken if it cannot carry the backfilled and the reserved job together. */
function firstTaken(
  model: ClusterModel,
  record: Allocate,
  { resources, start, bandwidth }: Reservation,
): number | undefined {
  const a = model.named!.resources
  const b = resources
  let used: Uint32Array | undefined
  const carriesBoth = (resource: number): boolean => {
    used ??= model.bandwidthBeyond(start)
    return used[resource] + bandwidth + (record.bandwidth ?? 0) <= (model.header.policy.link_capacity ?? Infinity)
  }
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j < b.length && b[j] === a[i] && (a[i] < model.exclusiveResources || !carriesBoth(a[i]))) return a[i]
  }
  return undefined
}
