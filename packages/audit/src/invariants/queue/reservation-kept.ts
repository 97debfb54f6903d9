import type { LogRecord } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { Job, Reservation } from '../../cluster/cluster-model.ts'

export const reservationKept: Invariant = {
  name: 'reservation-kept',
  property:
    'A job starts at the time of its reservation, unless a node or link that it reserved is still held, short of bandwidth or down. Under the kill option only jobs that did not pass it in the queue may hold them.',
  begin(model, tally) {
    const { backfill, kill = false } = model.header.queue
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    if (model.header.policy.claims.links === 'rule')
      return 'by the rule that keeps links apart, others may be in the way of what is free'
    // Elsewhere nothing happens at the time of a reservation unless it is that of an input.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const capacity = model.header.policy.link_capacity ?? 0
    /** Whether a running job may run on when the time of another job's reservation comes. */
    const mayStay = (holder: Job, { job }: Reservation): boolean => {
      const { isAdvanced, start } = holder.holding!
      // What starts as the reservation's time comes may be a job of no length, which ends in a further round.
      return !(kill && isAdvanced && model.precedes(job, holder) && start < model.previousTime)
    }
    /** Whether a shared link has too little left, even if those that may be killed were. */
    const isShort = (resource: number, reservation: Reservation): boolean => {
      const room = capacity - reservation.bandwidth
      if (!kill || model.owners[resource] <= room) return model.owners[resource] > room
      let staying = 0
      for (const holder of model.holders.values()) {
        if (mayStay(holder, reservation) && holder.holding!.resources.includes(resource))
          staying += holder.holding!.bandwidth
      }
      return staying > room
    }
    const isHeld = (resource: number, reservation: Reservation): boolean => {
      if (model.downBy[resource] !== 0) return true
      if (resource >= model.exclusiveResources) return isShort(resource, reservation)
      const holder = model.holderOf(resource)
      return holder !== undefined && mayStay(holder, reservation)
    }
    const check = (record: LogRecord, reservation: Reservation): void => {
      const { seq, job, start, resources } = reservation
      const wasDue = start <= model.previousTime || (hasPassOfItsOwn && start < model.time)
      if (!wasDue) return
      tally.tested()
      // Of shared links that jobs may be killed for, each is looked for in what all jobs hold.
      const cost = capacity > 0 && kill ? resources.length * (1 + model.held) : resources.length
      if (!model.effort.allows(cost)) tally.violated(record, TOO_MUCH)
      else if (!resources.some((resource) => isHeld(resource, reservation))) {
        tally.violated(
          record,
          `job ${job.id} has not started, though the time of its reservation (record ${seq}), ${start / 1000}, has come and ${kill ? 'only jobs that passed it are' : 'nothing is'} in its way`,
        )
      }
    }
    /** No reservation is of an earlier time: none is looked at where that has not come. */
    let earliest = Infinity
    const checkAll = (record: LogRecord): void => {
      earliest = Infinity
      for (const reservation of model.reservations.values()) {
        earliest = Math.min(earliest, reservation.start)
        check(record, reservation)
      }
    }
    return {
      reserve(record) {
        earliest = Math.min(earliest, Math.round(record.start * 1000))
      },
      every(record) {
        if (!model.isPassOver || earliest > model.time) return
        if (model.effort.allows(model.reservations.size)) checkAll(record)
        else tally.violated(record, TOO_MUCH)
      },
    }
  },
}
