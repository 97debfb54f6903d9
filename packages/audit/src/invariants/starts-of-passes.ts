import type { LogRecord } from '@cloister/eventlog'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Job, Reservation } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Checks, Tally } from '../invariant.ts'
import { OVERRUN_GRACE } from './reservations.ts'

/** Returns true if some free nodes and links surely have a placement for a job. */
export type Room = (job: Job) => boolean

/** Free nodes and links after a scheduling pass, in which an invariant looks for placements of waiting jobs. */
export interface Rooms {
  /** Number of comparisons for one room. */
  readonly cost: number
  /** Free nodes and links in words, for messages, such as `4 nodes are free`. */
  readonly words: () => string
  readonly empty: () => Room
  readonly now: () => Room
  /** Returns the room that the pass expects at a time (ms), before further starts. */
  readonly by: (time: number) => Room
  /** Returns the room now without the nodes and links of a reservation. */
  readonly beside: (reservation: Reservation) => Room
  /** Returns the room for a second job at the start of a reservation, wherever the reserved job is then. */
  readonly besideMoved?: (reservation: Reservation) => Room
}

/**
 * Returns the latest time at which a scheduling pass at `now` expects the end of a running job; Infinity without an
 * estimate. Times are in ms.
 */
export function expectedEnd(model: ClusterModel, job: Job, now: number): number {
  const end = model.estimatedEnd(job) ?? Infinity
  return end <= now ? now + OVERRUN_GRACE : end
}

/** Returns true if a job runs as long on some nodes as on others, as far as the scheduler knows. */
export function areEstimatesFixed({ rules, areRunTimesVaried }: ClusterModel): boolean {
  return rules.runTimes !== 'communication' || !areRunTimesVaried
}

/** Returns checks that a simulation rejects no job for which the empty machine has room. */
export function rejectionsOf(model: ClusterModel, tally: Tally, { cost, empty }: Rooms): Pick<Checks, 'reject'> {
  return {
    reject(record) {
      const { job } = model
      if (job === undefined || model.header.origin !== 'simulated') return
      tally.tested()
      if (!model.effort.allows(cost)) tally.violated(record, TOO_MUCH)
      else if (empty()(job))
        tally.violated(
          record,
          `job ${job.id} requests ${job.size} nodes and is rejected, although the empty machine has room`,
        )
    },
  }
}

/**
 * Returns checks after every scheduling pass of fcfs, EASY and backfilling without reservations that no job waits
 * although there is room.
 */
export function startsOfPasses(model: ClusterModel, tally: Tally, rooms: Rooms): Checks {
  const { backfill, window = 0, reservation: kind, moveMinNodes = 1 } = model.rules.queue
  const isMovable = kind === 'movable'
  const violated = (record: LogRecord, job: Job, what: string): void =>
    tally.violated(
      record,
      `job ${job.id} requests ${job.size} nodes and waits after the scheduling pass at ${model.previousTime / 1000} s, although ${what}`,
    )
  const mayWait = model.header.order?.claims.waits === true
  /** Number of jobs that the present scheduling pass has started ahead of the head. */
  let advanced = 0
  /** Latest reservation of the head that is known to start as early as the jobs running then allowed. */
  let earliest: Reservation | undefined
  /** Reservation that the present scheduling pass has taken back. */
  let withdrawn: Reservation | undefined
  /** True if the present scheduling pass has moved a reservation, perhaps after it tried a job of the window. */
  let hasMoved = false

  /** Returns a function that returns true if a job of the window may delay a reservation. */
  const delayOf = (reservation: Reservation): ((job: Job) => boolean) => {
    const beside = isMovable && hasMoved ? undefined : rooms.beside(reservation)
    const besideMoved = isMovable ? rooms.besideMoved?.(reservation) : undefined
    return (job) =>
      model.previousTime + job.estimate! > reservation.start &&
      beside?.(job) !== true &&
      (job.size < moveMinNodes || besideMoved?.(job) !== true)
  }
  /** Checks the jobs behind the head that the pass has tried. */
  const checkWindow = (record: LogRecord, reservation: Reservation, now: Room, tried: number): void => {
    let delays: ((job: Job) => boolean) | undefined
    for (const job of model.queue.first(tried)) {
      if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
      if (job === reservation.job || job.estimate === undefined || !now(job)) continue
      if (delays === undefined && !model.effort.allows(rooms.cost)) return tally.violated(record, TOO_MUCH)
      delays ??= delayOf(reservation)
      if (!delays(job))
        return violated(
          record,
          job,
          `${rooms.words()} and the job would not delay the reservation of job ${reservation.job.id}`,
        )
    }
  }
  /** Checks that there is a job without room, which may be the head. */
  const checkAnyHead = (record: LogRecord, head: Job, now: Room): void => {
    for (const job of model.queue.first(Infinity)) {
      if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
      if (!now(job)) return
    }
    violated(record, head, rooms.words())
  }
  const checkPass = (record: LogRecord, tried: number): void => {
    const { head } = model.queue
    if (head === undefined) return
    if (!model.effort.allows(rooms.cost)) return tally.violated(record, TOO_MUCH)
    const now = rooms.now()
    if (model.whyOrderUnknown !== undefined) return checkAnyHead(record, head, now)
    for (const job of backfill === 'unreserved' ? model.queue.first(tried) : [head]) {
      if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
      if (now(job)) return violated(record, job, rooms.words())
    }
    const { reservation } = head
    if (reservation === undefined) return
    if (!model.effort.allows(model.holders.size + rooms.cost + reservation.resources.length))
      return tally.violated(record, TOO_MUCH)
    // Starts, and ends of jobs that were expected before the reservation, make no room before the reservation.
    const isKnown = earliest?.job === head && earliest.start === reservation.start
    earliest = reservation
    if (!isKnown && rooms.by(reservation.start - 1)(head))
      violated(
        record,
        head,
        `there is expected to be room before its reservation starts at ${reservation.start / 1000} s`,
      )
    else if (areEstimatesFixed(model)) checkWindow(record, reservation, now, tried)
  }
  return {
    ...rejectionsOf(model, tally, rooms),
    afterPass(record) {
      if (model.isPassCut) advanced = 0
      if (!model.isWholePassOver) return
      if (!mayWait || model.queue.head === undefined) {
        tally.tested()
        checkPass(record, 1 + window - advanced)
      }
      if (!model.effort.allows(0)) tally.violated(record, TOO_MUCH)
      advanced = 0
      withdrawn = undefined
      hasMoved = false
    },
    allocate({ moved }) {
      if (moved === undefined && model.job !== model.queue.head) advanced++
    },
    release() {
      const end = (model.job && model.estimatedEnd(model.job)) ?? Infinity
      // A job beyond its estimate was expected to run on.
      if (earliest !== undefined && (end >= earliest.start || end < model.time)) earliest = undefined
    },
    up() {
      earliest = undefined
    },
    unreserve(record) {
      withdrawn = model.reservations.get(record.for)
    },
    reserve(record) {
      hasMoved ||= withdrawn?.job === model.job && withdrawn?.start === Math.round(record.start * 1000)
    },
  }
}
