import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

export const reservationMoves: Invariant = {
  name: 'reservation-moves',
  property:
    'The reservation of a waiting job moves to a later start only if a node or link has failed, if a job ran beyond its estimate and the queue has no kill option, if jobs came before the reserved job in a queue order other than submit order, or if run times depend on the placement under conservative backfilling.',
  begin(model, tally) {
    const { order, backfill, window = Infinity, kill = false } = model.rules.queue
    const { runTimes } = model.rules
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
    if (backfill === 'conservative' && runTimes !== 'fixed')
      return `run times depend on allocations (runTimes: ${runTimes})`
    const reserved = backfill === 'conservative' ? window : 1
    /** Start of the latest reservation of each waiting job, in seconds, by job id. */
    const starts = new Map<string, number>()
    return {
      allocate(record) {
        starts.delete(record.job)
        // Unless in submit order, a new head may start before the reserved job, on nodes and links of the reservation.
        if (order !== 'submit' && backfill === 'easy' && record.backfill === undefined) starts.clear()
      },
      unreserve(record) {
        if (order !== 'submit' && model.job !== undefined && model.queue.before(model.job) >= reserved)
          starts.delete(record.job)
      },
      reserve(record) {
        const before = starts.get(record.job)
        starts.set(record.job, record.start)
        if (before === undefined) return
        tally.tested()
        if (!model.effort.allows(model.holders.size)) return tally.violated(record, TOO_MUCH)
        if (record.start <= before || model.everDown || (!kill && mayMoveAfterOverrun(model, before))) return
        tally.violated(
          record,
          `the reservation moves from ${before} s to ${record.start} s, but ${kill ? '' : 'no job ran beyond its estimate and '}no node or link failed`,
        )
      },
    }
  },
}

/**
 * Returns true if a running job has reached its estimated end, or if the start `before` (seconds) of the previous
 * reservation has passed: `reservation-on-time` tests passed starts.
 */
function mayMoveAfterOverrun(model: ClusterModel, before: number): boolean {
  if (before * 1000 < model.time) return true
  for (const job of model.holders.values()) {
    const end = model.estimatedEnd(job)
    if (end !== undefined && end <= model.time) return true
  }
  return false
}
