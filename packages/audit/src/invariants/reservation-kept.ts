import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import type { Job, Reservation } from '../machine.ts'

export const reservationKept: Invariant = {
  name: 'reservation-kept',
  property:
    'At the time of its reservation a job starts, unless what it has reserved is still held or down; under the kill option, unless it is held by jobs that did not pass it in the queue, or down.',
  begin(machine, tally) {
    const { backfill, kill = false } = machine.header.queue
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    if (machine.header.policy.claims.links === 'rule') return 'by the rule that keeps links apart, others may be in the way of what is free'
    // Elsewhere nothing happens at the time of a reservation unless it is that of an input.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const stands = (cell: number, reserved: Job): boolean => {
      if (machine.downBy[cell] !== 0) return true
      if (cell >= machine.exclusiveCells) return machine.owners[cell] !== 0
      const holder = machine.holderOf(cell)
      const holding = holder?.holding
      // What starts as the reservation's time comes may be a job of no length, which ends in a further round.
      const hasPassed = holder !== undefined && holding?.isAdvanced === true && machine.precedes(reserved, holder)
      return holding !== undefined && !(kill && hasPassed && holding.start < machine.previousTime)
    }
    const check = (record: LogRecord, { seq, job, start, parts }: Reservation): void => {
      const wasDue = start <= machine.previousTime || (hasPassOfItsOwn && start < machine.time)
      if (!wasDue) return
      tally.tested()
      if (!parts.cells.some((cell) => stands(cell, job))) {
        tally.violated(record, `job ${job.id} has not started, though the time of its reservation (record ${seq}), ${start / 1000}, has come and ${kill ? 'only jobs that passed it are' : 'nothing is'} in its way`)
      }
    }
    return {
      every(record) {
        if (machine.isPassOver) for (const reservation of machine.reservations.values()) check(record, reservation)
      },
    }
  },
}
