import type { Invariant } from '../invariant.ts'

export const backfillNoDelay: Invariant = {
  name: 'backfill-no-delay',
  property: 'A backfilled job ends by estimate no later than the reservation starts, or takes nothing that the reservation names.',
  begin(machine, tally) {
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

/** The least id that two ascending lists share. */
function firstCommon(a: Int32Array, b: Int32Array): number | undefined {
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j < b.length && b[j] === a[i]) return a[i]
  }
  return undefined
}
