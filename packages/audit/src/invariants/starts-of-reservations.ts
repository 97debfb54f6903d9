import type { Kill, LogRecord } from '@cloister/eventlog'
import { TOO_MUCH } from '../effort.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import type { Job, QueueRules, Reservation } from '../cluster/jobs.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { lowerBound } from '../cluster/job-lists.ts'

/** Reason why invariants of the kill option do not apply to driven logs. */
export const FORGETS =
  'a controller that continues a driven log does not know which running jobs started ahead of others'

export const reservationOnTime: Invariant = {
  name: 'reservation-on-time',
  property:
    'A job starts no later than the start of its reservation, unless a node or link of the reservation is down, still held or short of bandwidth, or the pass was interrupted by a gap. Under the kill option, a node or link does not count as held if its holder started ahead of the reserved job: at the start of the holder, the reserved job waited and came first in the queue order of that scheduling pass.',
  begin(model, tally) {
    const { backfill, reserves, kill = false } = model.rules.queue
    if (!reserves) return `the queue discipline makes no reservations (backfill: ${backfill})`
    if (model.forgetsWhomToKill) return FORGETS
    if (model.header.policy.claims.links === 'rule')
      return 'the rule of the policy may forbid free nodes and links next to other jobs'
    // Without the kill option, EASY has a scheduling pass at a reservation's start only if an input comes at this time.
    const hasPassOfItsOwn = kill || backfill === 'conservative'

    const capacity = model.header.policy.link_capacity ?? 0
    /** Returns true if the running job `holder` may keep its allocation when the start of the reservation has come. */
    const mayStay = (holder: Job, reservation: Reservation): boolean => {
      const { start, isPassingInDoubt } = holder.allocation!
      // A job that starts at the start of the reservation may have no run time, and end later in this instant.
      const isLate = start >= Math.max(model.previousTime, reservation.start)
      if (start < model.partFrom || isLate || !hasPassed(holder, reservation.job)) return true
      if (isPassingInDoubt) model.doubtful++
      return isPassingInDoubt
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
      afterPass(record) {
        if (!model.isWholePassOver || earliest > model.time) return
        if (model.effort.allows(model.reservations.size)) checkAll(record)
        else tally.violated(record, TOO_MUCH)
      },
    }
  },
}

export const reservationKills: Invariant = {
  name: 'reservation-kills',
  property:
    'Jobs are killed for a reservation only under the kill option, and not before the start of the reservation. Only jobs that started ahead of the reserved job are killed for its reservation, the job with the latest start first. The reserved job starts in the instant of the kills.',
  begin(model, tally) {
    const { kill: isOption = false } = model.rules.queue
    if (model.forgetsWhomToKill) return FORGETS
    /** Seq of the allocate of the job that was killed last in this scheduling pass; Infinity before the first kill. */
    let lastStart = Infinity

    const check = (record: Kill): void => {
      tally.tested()
      const wrong = isOption
        ? whatIsWrong(model, model.reservations.get(record.cause), lastStart)
        : 'but the queue has no kill option'
      if (wrong !== undefined) tally.violated(record, `job ${record.job} is killed for a reservation, ${wrong}`)
      lastStart = model.job?.allocation?.seq ?? Infinity
    }
    const endPass = (record: LogRecord): void => {
      const { killedFor } = model
      if (killedFor !== undefined && killedFor.allocation?.start !== model.previousTime) {
        tally.violated(
          record,
          `job ${killedFor.id} did not start at ${model.previousTime / 1000} s, though other jobs were killed for its reservation`,
        )
      }
      lastStart = Infinity
    }
    return {
      afterPass: endPass,
      kill(record) {
        if (record.code === 'reservation') check(record)
      },
    }
  },
}

/** Returns true if a running job started ahead of a job that waited. Always false without the kill option. */
function hasPassed({ allocation }: Job, { order }: Job): boolean {
  const { passed } = allocation!
  return passed[lowerBound(passed.length, (place) => passed[place] < order)] === order
}

function whatIsWrong(model: ClusterModel, reservation: Reservation | undefined, lastStart: number): string | undefined {
  const allocation = model.job?.allocation
  // Other invariants find kills of jobs that do not run (job-life-cycle) and kills without a reservation (causes).
  if (allocation === undefined || reservation === undefined) return undefined
  if (model.time < reservation.start) return `but the reservation starts at ${reservation.start / 1000} s`
  // The log of a part of a run does not show which jobs waited before the part.
  const isUnknown = model.whyOrderUnknown !== undefined || allocation.start < model.partFrom
  if (!isUnknown && !hasPassed(model.job!, reservation.job)) {
    if (!allocation.isPassingInDoubt) return `but the job did not start ahead of job ${reservation.job.id}`
    model.doubtful++
  }
  return allocation.seq > lastStart
    ? `but the job started (record ${allocation.seq}) after the job that was killed before; the latest start is killed first`
    : undefined
}

export const easyFirstReservation: Invariant = {
  name: 'easy-first-reservation',
  property:
    'Under EASY in submit order, with exact estimates and without contention, no job starts later than the start of its first reservation, as long as no node or link has failed.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'easy'),
}

export const conservativeFirstReservation: Invariant = {
  name: 'conservative-first-reservation',
  property:
    'Under conservative backfilling in submit order, with exact estimates and fixed run times, no job starts later than the start of its first reservation, as long as no node or link has failed.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'conservative'),
}

/**
 * Returns checks that no job starts later than the start of its first reservation; the reason, a text, if the options
 * of the run do not guarantee this property for the discipline.
 */
function startsByFirstReservation(
  model: ClusterModel,
  tally: Tally,
  discipline: QueueRules['backfill'],
): Checks | string {
  const { queue, estimates, runTimes } = model.rules
  if (queue.backfill !== discipline) return `the queue has another discipline (backfill: ${queue.backfill})`
  const { order } = model.header
  if (order !== undefined) return `a job that is submitted later may come earlier in the queue (order: ${order.name})`
  if (estimates !== 'exact') return `estimates are not exact (estimates: ${estimates})`
  const mayVary = runTimes === 'contention' || discipline === 'conservative'
  /** Start of the first reservation of each waiting job, in seconds, by job id. */
  const firstStarts = new Map<string, number>()
  return {
    gap: () => firstStarts.clear(),
    reserve(record) {
      if (!firstStarts.has(record.job)) firstStarts.set(record.job, record.start)
    },
    allocate(record) {
      const start = firstStarts.get(record.job)
      if (start === undefined || model.everHindered) return
      firstStarts.delete(record.job)
      if (mayVary && model.areRunTimesVaried)
        return tally.inapplicable(`run times depend on allocations (runTimes: ${runTimes})`)
      tally.tested()
      if (record.t > start)
        tally.violated(record, `job ${record.job} starts at ${record.t} s, after its first reservation at ${start} s`)
    },
  }
}
