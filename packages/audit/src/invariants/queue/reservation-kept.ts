import type { LogRecord } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { Job, Reservation } from '../../cluster/cluster-model.ts'

export const reservationKept: Invariant = {
  name: 'reservation-kept',
  property:
    'A job starts at the time of its reservation, unless a node or link of the reservation is down, still held or short of bandwidth. Under the kill option only jobs that did not pass the job in the queue may hold them.',
  begin(model, tally) {
    const { backfill, kill = false } = model.rules.queue
    if (backfill === 'none') return `the queue makes no reservations (backfill: ${backfill})`
    if (model.header.policy.claims.links === 'rule')
      return 'the rule on links may forbid free nodes and links beside other jobs'
    // Without the kill option EASY has no scheduling pass at a reservation's time unless an input comes at that time.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const capacity = model.header.policy.link_capacity ?? 0
    /** Returns true if a running job may go on when the time of another job's reservation has come. */
    const mayStay = (holder: Job, { job }: Reservation): boolean => {
      const { isAdvanced, start } = holder.holding!
      // A job that starts at the reservation's time may have no length; then it ends in a further round of the instant.
      return !(kill && isAdvanced && model.precedes(job, holder) && start < model.previousTime)
    }
    /** Returns true if a shared link has too little bandwidth left, even after all kills of the kill option. */
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
      // With the kill option each shared link is searched in the allocations of all jobs.
      const cost = capacity > 0 && kill ? resources.length * (1 + model.held) : resources.length
      if (!model.effort.allows(cost)) tally.violated(record, TOO_MUCH)
      else if (!resources.some((resource) => isHeld(resource, reservation))) {
        tally.violated(
          record,
          `job ${job.id} has not started, though the time of its reservation (record ${seq}), ${start / 1000}, has come and ${kill ? 'only jobs that passed it are' : 'nothing is'} in its way`,
        )
      }
    }
    /** Lower bound of the starts of all reservations, in ms. Nothing is checked before this time. */
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
