import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import { TOO_MUCH } from '../../effort.ts'

/** A job past its estimate is expected to end so much later, milliseconds. */
const OVERRUN_GRACE = 1000

export const reservationStart: Invariant = {
  name: 'reservation-start',
  property:
    'A reservation starts when something comes free: when a running job is estimated to end or, under conservative backfilling, another reservation; within a second where a running job is past its estimate. A movable one keeps its start where it moves to other parts.',
  begin(model, tally) {
    const { backfill, reservation } = model.header.queue
    const isMovable = reservation === 'movable'
    /** Start of each waiting job's latest reservation, where that may move in space, in seconds. */
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
        // One in the past, or within the second in which a job past its estimate may end, is for other invariants.
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
  if (model.header.queue.backfill !== 'conservative') return false
  for (const { end } of model.reservations.values()) if (end === start) return true
  return false
}
