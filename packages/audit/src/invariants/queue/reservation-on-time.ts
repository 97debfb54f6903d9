import type { LogRecord } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { Job, Reservation } from '../../cluster/jobs.ts'

export const reservationOnTime: Invariant = {
  name: 'reservation-on-time',
  property:
    'A job starts no later than the start of its reservation, unless a node or link of the reservation is down, still held or short of bandwidth. Under the kill option, a node or link does not count as held if its holder started ahead of the reserved job.',
  begin(model, tally) {
    const { backfill, kill = false } = model.rules.queue
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
    if (model.header.policy.claims.links === 'rule')
      return 'the rule of the policy may forbid free nodes and links next to other jobs'
    // Without the kill option, EASY has a scheduling pass at a reservation's start only if an input comes at this time.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const capacity = model.header.policy.link_capacity ?? 0
    /** Returns true if the running job `holder` may keep its allocation when the start of the reservation has come. */
    const mayStay = (holder: Job, { job }: Reservation): boolean => {
      const { isAdvanced, start } = holder.allocation!
      // A job that starts at the start of the reservation may have no run time, and end later in this instant.
      return !(kill && isAdvanced && model.precedes(job, holder) && start < model.previousTime)
    }
    /** Returns true if a link shared up to a cap lacks bandwidth for the reservation, even after all possible kills. */
    const isShort = (resource: number, reservation: Reservation): boolean => {
      const left = capacity - reservation.bandwidth
      if (!kill || model.owners[resource] <= left) return model.owners[resource] > left
      let staying = 0
      for (const holder of model.holders.values()) {
        if (mayStay(holder, reservation) && holder.allocation!.resources.includes(resource))
          staying += holder.allocation!.bandwidth
      }
      return staying > left
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
      // With the kill option, `isShort` searches the allocations of all jobs for each link shared up to a cap.
      const cost = capacity > 0 && kill ? resources.length * (1 + model.held) : resources.length
      if (!model.effort.allows(cost)) tally.violated(record, TOO_MUCH)
      else if (!resources.some((resource) => isHeld(resource, reservation))) {
        tally.violated(
          record,
          `job ${job.id} has not started, but its reservation (record ${seq}) starts at ${start / 1000} s and ${kill ? 'only jobs that started ahead of the job hold' : 'no job holds'} a node or link of the reservation`,
        )
      }
    }
    /** Lower bound of the starts of all reservations, in ms. No reservation is checked before this time. */
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
