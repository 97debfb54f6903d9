import type { Invariant } from '../invariant.ts'
import { firstCommon } from '../parts.ts'

export const backfillNoDelay: Invariant = {
  name: 'backfill-no-delay',
  property: 'Under EASY a backfilled job ends by estimate no later than the reservation starts, or takes nothing that the reservation names.',
  begin(machine, tally) {
    const { backfill } = machine.header.queue
    if (backfill === 'conservative') return 'jobs start beside all reservations, which reservations-apart tests'
    return {
      allocate(record) {
        const reservation = record.backfill === undefined ? undefined : machine.reservations.get(record.backfill)
        const job = machine.job
        if (reservation === undefined || reservation.job === job || job?.walltime === undefined) return
        tally.tested()
        if (machine.time + job.walltime <= reservation.start) return
        const taken = firstCommon(machine.parts!.cells, reservation.parts.cells)
        if (taken === undefined || taken >= machine.exclusiveCells) return
        const ends = (machine.time + job.walltime) / 1000
        tally.violated(record, `takes ${machine.nameOf(taken)} until ${ends}, which job ${reservation.job.id} has reserved from ${reservation.start / 1000}`)
      },
    }
  },
}
