import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

export const reservationMoves: Invariant = {
  name: 'reservation-moves',
  property:
    'A reservation moves to a later start only after a failure; after a job ran past its estimate, except under the kill option; in orders other than submit order, when other jobs came before its own; and under conservative backfilling where run times depend on the placement.',
  begin(model, tally) {
    const { order, backfill, window = Infinity, kill = false } = model.header.queue
    const { run_times: runTimes } = model.header
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    if (backfill === 'conservative' && runTimes !== undefined)
      return `what is planned may take longer where it starts (run_times: ${runTimes})`
    const reserved = backfill === 'conservative' ? window : 1
    /** Start of each waiting job's latest reservation, in seconds. */
    const starts = new Map<string, number>()
    return {
      allocate(record) {
        starts.delete(record.job)
        // A head that came before the one with the reservation takes what it needs.
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
          `moves from ${before} to ${record.start}, though ${kill ? '' : 'no job ran past its estimate and '}nothing failed`,
        )
      },
    }
  },
}

/** Whether a running job is past its estimate, or one was when the time of the reservation came (reservation-kept says whether it was). */
function mayMoveAfterOverrun(model: ClusterModel, before: number): boolean {
  if (before * 1000 < model.time) return true
  for (const job of model.holders.values()) {
    const end = model.estimatedEnd(job)
    if (end !== undefined && end <= model.time) return true
  }
  return false
}
