import type { LogRecord, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Reservation } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import { OVERRUN_GRACE } from './reservations.ts'
import { FORGETS } from './starts-of-reservations.ts'

const VARIED = 'run times depend on allocations, so plans of conservative backfilling may not hold'

export const reservationMoves: Invariant = {
  name: 'reservation-moves',
  property:
    'The reservation of a waiting job moves to a later start only if a node or link has failed, if a job ran beyond its estimate and the queue has no kill option, if jobs came before the reserved job in a queue order other than submit order, or if run times depend on the placement under conservative backfilling.',
  begin(model, tally) {
    const { backfill, reserves, window = Infinity, kill = false } = model.rules.queue
    if (model.forgetsWhomToKill) return FORGETS
    if (!reserves) return `the queue discipline makes no reservations (backfill: ${backfill})`
    const reserved = backfill === 'conservative' ? window : 1
    const hasOrder = model.header.order !== undefined
    /** Start of the latest reservation of each waiting job, in seconds, by job id. */
    const starts = new Map<string, number>()
    return {
      allocate(record) {
        starts.delete(record.job)
        // Unless in submit order, a new head may start before the reserved job, on nodes and links of the reservation.
        if (hasOrder && backfill === 'easy' && record.backfill === undefined) starts.clear()
      },
      // A controller that continues a log after a gap makes all reservations again.
      gap: () => starts.clear(),
      unreserve(record) {
        if (hasOrder && model.job !== undefined && model.mayBeBehind(model.job, reserved)) starts.delete(record.job)
      },
      reserve(record) {
        const before = starts.get(record.job)
        // Before a part of a run, the log lacks starts that would have moved the reservation.
        if (!model.isBeforePart) starts.set(record.job, record.start)
        if (before === undefined) return
        if (backfill === 'conservative' && model.areRunTimesVaried) return tally.inapplicable(VARIED)
        tally.tested()
        if (!model.effort.allows(model.holders.size)) return tally.violated(record, TOO_MUCH)
        if (record.start <= before || model.everHindered || (!kill && mayMoveAfterOverrun(model, before))) return
        tally.violated(
          record,
          `the reservation moves from ${before} s to ${record.start} s, but ${kill ? '' : 'no job ran beyond its estimate and '}no node or link failed`,
        )
      },
    }
  },
}

/**
 * Returns true if a running job has reached its estimated end, or if the start `before` (seconds) of the previous
 * reservation has passed: `reservation-on-time` tests passed starts.
 */
function mayMoveAfterOverrun(model: ClusterModel, before: number): boolean {
  if (before * 1000 < model.time) return true
  for (const job of model.holders.values()) {
    const end = model.estimatedEnd(job)
    if (end !== undefined && end <= model.time) return true
  }
  return false
}

export const reservationPlaces: Invariant = {
  name: 'reservation-places',
  property:
    'A reservation moves to other nodes and links with the same start only if a node or link of the reservation has failed or will be held at the start, or if the options allow the move. With `replan`, EASY may move the reservation before the pass backfills. A movable reservation of EASY moves right before the start of the backfilled job that needs the reserved nodes and links. This job has at least the size `moveMinNodes`. Conservative backfilling moves movable reservations at any time, and fixed reservations never. A failure of other nodes and links neither moves a reservation to a later start nor takes a reservation back.',
  begin(model, tally) {
    const {
      backfill,
      reserves,
      kill = false,
      reservation,
      window = Infinity,
      replan = false,
      moveMinNodes = 1,
    } = model.rules.queue
    const reserved = backfill === 'conservative' ? window : 1
    const isMovable = reservation === 'movable'
    if (model.forgetsWhomToKill) return FORGETS
    if (!reserves) return `the queue discipline makes no reservations (backfill: ${backfill})`
    if (backfill === 'conservative' && isMovable)
      return 'conservative backfilling may move a movable reservation at any time'
    /** Reservation that the latest unreserve record took back. */
    let withdrawn: (Reservation & { readonly pass: number; readonly canStay: boolean }) | undefined
    /** Move that the next record must justify by the start of a job. */
    let move: Reserve | undefined
    /** Number of the latest scheduling pass that backfilled a job. */
    let backfilledIn = -1
    /** Number of the latest instant with a gap. */
    let gapIn = -1
    /** True if no record has come since the latest unreserve record. */
    let isNew = false

    const isMoved = (from: typeof withdrawn, { start }: Reserve): boolean => {
      if (from?.pass !== model.pass || !from.canStay || from.start !== Math.round(start * 1000)) return false
      const { resources } = model.named!
      return resources.length !== from.resources.length || resources.some((each, i) => each !== from.resources[i])
    }
    /** Checks the first record after an unreserve record that took back a reservation although it could stay. */
    const checkNext = (record: LogRecord): void => {
      const from = isNew ? withdrawn : undefined
      isNew = false
      if (from?.canStay !== true || record.type === 'gap') return
      if (record.type === 'reserve' && model.job === from.job) return
      // The invariants head-reserved and window-reserved report the job if no failure may hinder the job.
      if (from.job.state !== 'waiting' || model.mayBeBehind(from.job, reserved) || !model.mayBeHindered(from.job))
        return
      if (backfill === 'conservative' && model.areRunTimesVaried) return tally.inapplicable(VARIED)
      tally.tested()
      tally.violated(
        record,
        `record ${from.seq} reserves nodes and links for job ${from.job.id} that are up and will be free, but the reservation is taken back`,
      )
    }
    const justify = (record: LogRecord): void => {
      if (move === undefined) return
      const { seq } = move
      move = undefined
      // The controller stopped after the move.
      if (record.type === 'gap') return
      const starts = record.type === 'allocate' && record.backfill === seq
      if (starts && (model.job?.size ?? 0) >= moveMinNodes) return
      tally.violated(
        record,
        starts
          ? `job ${record.job} moves the reservation of record ${seq}, but only jobs of at least ${moveMinNodes} nodes may move a reservation`
          : `record ${seq} moves a reservation at the same start, but no backfilled job starts right after the move`,
      )
    }
    return {
      every(record) {
        if (record.type === 'seal' || record.type === 'unknown') return
        justify(record)
        checkNext(record)
      },
      gap() {
        gapIn = model.instant
      },
      unreserve(record) {
        // After a gap, a controller withdraws all reservations, and makes them again.
        if (gapIn === model.instant) return
        const taken = model.reservations.get(record.for)
        if (!model.effort.allows((taken?.resources.length ?? 0) + model.held)) tally.violated(record, TOO_MUCH)
        withdrawn = taken && { ...taken, pass: model.pass, canStay: canStay(model, taken, kill) }
        isNew = true
      },
      reserve(record) {
        const from = withdrawn
        withdrawn = undefined
        if (from === undefined || from.job !== model.job) return
        if (backfill === 'conservative' && model.areRunTimesVaried) return tally.inapplicable(VARIED)
        tally.tested()
        // Unless a node or link has failed, the invariant reservation-moves reports a later start.
        const isLater = record.start * 1000 > from.start + 0.5
        if (isLater && from.canStay && from.pass === model.pass && model.everHindered)
          return tally.violated(
            record,
            `the reservation moves from ${from.start / 1000} s to ${record.start} s, but its nodes and links are up and will be free`,
          )
        if (!isMoved(from, record) || (replan && backfilledIn !== model.pass)) return
        if (isMovable) move = record
        else
          tally.violated(
            record,
            `the reservation moves to other nodes and links with the same start, but reservations are ${replan ? 'replanned only before jobs are backfilled' : 'fixed'}`,
          )
      },
      allocate(record) {
        if (record.backfill !== undefined) backfilledIn = model.pass
        // The start of a job that came first in queue order may have taken the reserved nodes and links.
        withdrawn = undefined
      },
    }
  },
}

/**
 * Returns true if all nodes and links of a reservation are up and, unless jobs are killed for reservations, will be free
 * at its start by the estimates of the running jobs.
 */
function canStay(model: ClusterModel, { start, resources, bandwidth }: Reservation, kill: boolean): boolean {
  if (resources.some((resource) => model.downBy[resource] !== 0)) return false
  if (kill) return true
  if (start <= model.time) return false
  const isCapped = bandwidth > 0
  if (isCapped && Array.from(model.holders.values()).some((job) => model.isPastEstimate(job))) return false
  const used = isCapped ? model.bandwidthBeyond(start) : undefined
  const left = (model.header.policy.link_capacity ?? 0) - bandwidth
  return resources.every((resource) =>
    resource < model.exclusiveResources
      ? !mayBeHeldAt(model, resource, start)
      : used === undefined || used[resource] <= left,
  )
}

/** Returns true if a job may hold a node or link at a time (ms): a job past its estimate holds it up to one second. */
function mayBeHeldAt(model: ClusterModel, resource: number, start: number): boolean {
  const holder = model.holderOf(resource)
  if (holder === undefined) return false
  const end = model.estimatedEnd(holder) ?? Infinity
  return (end <= model.time ? model.time + OVERRUN_GRACE : end) > start
}
