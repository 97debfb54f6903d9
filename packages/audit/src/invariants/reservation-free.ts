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
          // A job past its estimate is expected to end one second from now.
          const expected = end < machine.time ? machine.time + 1000 : end
          if (expected <= start) continue
          tally.violated(record, `${machine.nameOf(cell)} is held by job ${holder!.id} until ${expected / 1000}, after the reservation's start at ${record.start}`)
          return
        }
      },
    }
  },
}
