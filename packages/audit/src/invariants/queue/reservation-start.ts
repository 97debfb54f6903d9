import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import { TOO_MUCH } from '../../effort.ts'

/** Longest time, in ms, from now to the start of a reservation that waits for a job beyond its estimate. */
const OVERRUN_GRACE = 1000

export const reservationStart: Invariant = {
  name: 'reservation-start',
  property:
    'The start of a reservation is the estimated end of a running job or, under conservative backfilling, also the estimated end of another reservation. While a running job is beyond its estimate, a reservation may start at any time within one second from now. A movable reservation may move to other nodes and links with the same start.',
  begin(model, tally) {
    const { backfill, reservation } = model.rules.queue
    const isMovable = reservation === 'movable'
    /** Start of the latest reservation of each waiting job, in seconds; empty unless reservations are movable. */
    const starts = new Map<string, number>()
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
    return {
      allocate(record) {
        starts.delete(record.job)
      },
      reserve(record) {
        if (isMovable && starts.get(record.job) === record.start) return
        if (isMovable) starts.set(record.job, record.start)
        const start = Math.round(record.start * 1000)
        // The invariant `reservations` reports a start in the past.
        if (start < model.time) return
        tally.tested()
        if (!model.effort.allows(model.holders.size + model.reservations.size)) return tally.violated(record, TOO_MUCH)
        if (!isEndOfJob(model, start) && !isEndOfReservation(model, start))
          tally.violated(
            record,
            `the reservation starts at ${record.start} s, but no running job${ends(backfill)} is estimated to end at this time`,
          )
      },
    }
  },
}

function ends(backfill: string): string {
  return backfill === 'conservative' ? ' and no other reservation' : ''
}

function isEndOfJob(model: ClusterModel, start: number): boolean {
  const mayBeSoon = start <= model.time + OVERRUN_GRACE
  for (const job of model.holders.values()) {
    const end = model.estimatedEnd(job)
    if (end === start || (mayBeSoon && end !== undefined && end <= model.time)) return true
  }
  return false
}

function isEndOfReservation(model: ClusterModel, start: number): boolean {
  if (model.rules.queue.backfill !== 'conservative') return false
  for (const { end } of model.reservations.values()) if (end === start) return true
  return false
}
