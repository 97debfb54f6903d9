import type { Invariant } from '../invariant.ts'
import type { Machine } from '../machine.ts'

export const reservationMoves: Invariant = {
  name: 'reservation-moves',
  property: 'A reservation moves to a later start only when a running job is past its estimate or something is down.',
  begin(machine, tally) {
    if (machine.header.queue.backfill !== 'easy') return `the queue makes no reservations (backfill: ${machine.header.queue.backfill})`
    /** Start of each waiting job's latest reservation, in seconds. */
    const starts = new Map<string, number>()
    return {
      allocate(record) {
        starts.delete(record.job)
      },
      reserve(record) {
        const before = starts.get(record.job)
        starts.set(record.job, record.start)
        if (before === undefined) return
        tally.tested()
        if (record.start > before && !machine.everDown && !hasOverrun(machine)) {
          tally.violated(record, `moves from ${before} to ${record.start}, though no running job is past its estimate and nothing failed`)
        }
      },
    }
  },
}

function hasOverrun(machine: Machine): boolean {
  for (const job of machine.holders.values()) {
    const end = machine.estimatedEnd(job)
    if (end !== undefined && end <= machine.time) return true
  }
  return false
}
