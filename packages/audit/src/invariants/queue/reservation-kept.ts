import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job, Reservation } from '../../cluster/cluster-model.ts'

export const reservationKept: Invariant = {
  name: 'reservation-kept',
  property:
    'At the time of its reservation a job starts, unless what it has reserved is still held, short of bandwidth or down; under the kill option, unless it is held by jobs that did not pass it in the queue, or down.',
  begin(machine, tally) {
    const { backfill, kill = false } = machine.header.queue
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    if (machine.header.policy.claims.links === 'rule')
      return 'by the rule that keeps links apart, others may be in the way of what is free'
    // Elsewhere nothing happens at the time of a reservation unless it is that of an input.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const capacity = machine.header.policy.link_capacity ?? 0
    /** Whether a job that holds parts may keep them when the time of another's reservation comes. */
    const mayStay = (holder: Job, { job }: Reservation): boolean => {
      const { isAdvanced, start } = holder.holding!
      // What starts as the reservation's time comes may be a job of no length, which ends in a further round.
      return !(kill && isAdvanced && machine.precedes(job, holder) && start < machine.previousTime)
    }
    /** Whether a shared link has too little left, even if those that may be killed were. */
    const isShort = (cell: number, reservation: Reservation): boolean => {
      const room = capacity - reservation.bandwidth
      if (!kill || machine.owners[cell] <= room) return machine.owners[cell] > room
      let staying = 0
      for (const holder of machine.holders.values()) {
        if (mayStay(holder, reservation) && holder.holding!.cells.includes(cell)) staying += holder.holding!.bandwidth
      }
      return staying > room
    }
    const stands = (cell: number, reservation: Reservation): boolean => {
      if (machine.downBy[cell] !== 0) return true
      if (cell >= machine.exclusiveCells) return isShort(cell, reservation)
      const holder = machine.holderOf(cell)
      return holder !== undefined && mayStay(holder, reservation)
    }
    const check = (record: LogRecord, reservation: Reservation): void => {
      const { seq, job, start, parts } = reservation
      const wasDue = start <= machine.previousTime || (hasPassOfItsOwn && start < machine.time)
      if (!wasDue) return
      tally.tested()
      if (!parts.cells.some((cell) => stands(cell, reservation))) {
        tally.violated(
          record,
          `job ${job.id} has not started, though the time of its reservation (record ${seq}), ${start / 1000}, has come and ${kill ? 'only jobs that passed it are' : 'nothing is'} in its way`,
        )
      }
    }
    return {
      every(record) {
        if (machine.isPassOver) for (const reservation of machine.reservations.values()) check(record, reservation)
      },
    }
  },
}
