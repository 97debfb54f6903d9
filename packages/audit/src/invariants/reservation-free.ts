import type { Invariant } from '../invariant.ts'

export const reservationFree: Invariant = {
  name: 'reservation-free',
  property: 'What a reservation names is free by its start: now, or when the job that holds it is estimated to end.',
  begin(machine, tally) {
    return {
      reserve(record) {
        tally.tested()
        const start = Math.round(record.start * 1000)
        for (const cell of machine.parts!.cells) {
          if (cell >= machine.exclusiveCells) return
          const holder = machine.holderOf(cell)
          const end = holder === undefined ? undefined : machine.estimatedEnd(holder)
          if (end === undefined) continue
          // A job past its estimate is expected to end within a second, a job of no length in this instant.
          const isPast = end <= machine.time && holder!.holding!.start < machine.time
          if (isPast ? start > machine.time : start >= end) continue
          tally.violated(record, `${machine.nameOf(cell)} is held by job ${holder!.id} ${isPast ? 'past its estimate' : `until ${end / 1000}`}, the reservation starts at ${record.start}`)
          return
        }
      },
    }
  },
}
