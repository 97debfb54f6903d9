import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import { TOO_MUCH } from '../../effort.ts'

/** Time until the expected end of a job past its estimate, at most, in ms. */
const OVERRUN_GRACE = 1000

export const reservationStart: Invariant = {
  name: 'reservation-start',
  property:
    'A reservation starts when a running job is estimated to end or, under conservative backfilling, when another reservation is estimated to end. While a running job is past its estimate, a reservation may start within a second from now. A movable reservation may move to other nodes and links with the same start.',
  begin(model, tally) {
    const { backfill, reservation } = model.rules.queue
    const isMovable = reservation === 'movable'
    /** Start of each waiting job's latest reservation, in seconds; only if reservations are movable. */
    const starts = new Map<string, number>()
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    return {
      allocate(record) {
        starts.delete(record.job)
      },
      reserve(record) {
        if (isMovable && starts.get(record.job) === record.start) return
        if (isMovable) starts.set(record.job, record.start)
        const start = Math.round(record.start * 1000)
        // The invariant reservations finds a start in the past.
        if (start < model.time) return
        tally.tested()
        if (!model.effort.allows(model.holders.size + model.reservations.size)) return tally.violated(record, TOO_MUCH)
        if (!isEndOfJob(model, start) && !isEndOfReservation(model, start))
          tally.violated(record, `starts at ${record.start}, when no running job${ends(backfill)} is estimated to end`)
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
