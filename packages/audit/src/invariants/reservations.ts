import type { Invariant, Tally } from '../invariant.ts'
import { endByEstimate, estimateOf, type Reservation } from '../cluster/jobs.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Allocate, LogRecord, Reserve } from '@cloister/eventlog'
import { FORGETS } from './starts-of-reservations.ts'
import { firstCommon } from '../cluster/named-resources.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'Only a queue discipline that backfills makes reservations. Under EASY, at most one reservation is in force at a time. Under conservative backfilling, each job has at most one reservation, and the number of reservations is at most the window. No reservation starts in the past. An unreserve names a reservation of its own job. At the end of the log, only waiting jobs have reservations.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    const isAlone = backfill !== 'conservative'
    const inForce = (): Reservation | undefined => {
      const [first] = model.reservations.values()
      return isAlone ? first : model.job?.reservation
    }
    // The invariant queue-order reports a reservation of a job beyond the window.
    const isTooMany = (): boolean =>
      !isAlone && model.reservations.size >= window && model.job !== undefined && model.queue.before(model.job) < window
    return {
      reserve(record) {
        tally.tested()
        const other = inForce()
        if (backfill === 'none')
          tally.violated(record, `the queue discipline makes no reservations (backfill: ${backfill})`)
        else if (other !== undefined)
          tally.violated(record, `job ${other.job.id} still has the reservation of record ${other.seq}`)
        else if (isTooMany())
          tally.violated(record, `${window} reservations are in force already, as many as the window allows`)
        else if (record.start < record.t)
          tally.violated(record, `the reservation starts at ${record.start} s, in the past`)
      },
      unreserve(record) {
        tally.tested()
        const reservation = model.reservations.get(record.for)
        if (reservation === undefined) tally.violated(record, `record ${record.for} is no reservation in force`)
        else if (reservation.job !== model.job)
          tally.violated(
            record,
            `record ${record.for} is a reservation of job ${reservation.job.id}, not of job ${record.job}`,
          )
      },
      end(record) {
        for (const { seq, job } of model.reservations.values()) {
          if (job.state !== 'waiting')
            tally.violated(record, `job ${job.id} is ${job.state}, but still has the reservation of record ${seq}`)
        }
      },
    }
  },
}

const VARIED = 'run times depend on allocations, so plans of conservative backfilling may not hold'

/** Longest time, in ms, from now to the start of a reservation that waits for a job beyond its estimate. */
const OVERRUN_GRACE = 1000

export const reservationStart: Invariant = {
  name: 'reservation-start',
  property:
    'The start of a reservation is the estimated end of a running job or, under conservative backfilling, also the estimated end of another reservation. While a running job is beyond its estimate, a reservation may start at any time within one second from now. A movable reservation may move to other nodes and links with the same start.',
  begin(model, tally) {
    const { backfill, reservation } = model.rules.queue
    const isMovable = reservation === 'movable'
    /** Start of the latest reservation of each waiting job, in seconds; empty unless reservations are movable. */
    const starts = new Map<string, number>()
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
    return {
      allocate(record) {
        starts.delete(record.job)
      },
      reserve(record) {
        if (isMovable && starts.get(record.job) === record.start) return
        if (isMovable) starts.set(record.job, record.start)
        const start = Math.round(record.start * 1000)
        // The invariant `reservations` reports a start in the past.
        if (start < model.time) return
        tally.tested()
        if (!model.effort.allows(model.holders.size + model.reservations.size)) return tally.violated(record, TOO_MUCH)
        if (!isEndOfJob(model, start) && !isEndOfReservation(model, start))
          tally.violated(
            record,
            `the reservation starts at ${record.start} s, but no running job${ends(backfill)} is estimated to end at this time`,
          )
      },
    }
  },
}

function ends(backfill: string): string {
  return backfill === 'conservative' ? ' and no other reservation' : ''
}

function isEndOfJob(model: ClusterModel, start: number): boolean {
  const mayBeSoon = start <= model.time + OVERRUN_GRACE
  for (const job of model.holders.values()) {
    const end = model.estimatedEnd(job)
    if (end === start || (mayBeSoon && end !== undefined && end <= model.time)) return true
  }
  return false
}

function isEndOfReservation(model: ClusterModel, start: number): boolean {
  if (model.rules.queue.backfill !== 'conservative') return false
  for (const { end } of model.reservations.values()) if (end === start) return true
  return false
}

export const reservationFree: Invariant = {
  name: 'reservation-free',
  property:
    'Every node and link of a reservation is free now, or is held by a job that ends, by its estimate, no later than the reservation starts. If links are shared up to a cap, a reservation with links names its bandwidth, at least the bandwidth that the job wants, and each link has this bandwidth left at the start of the reservation.',
  begin(model, tally) {
    const capacity = model.header.policy.link_capacity
    return {
      reserve(record) {
        tally.tested()
        const start = Math.round(record.start * 1000)
        const { resources } = model.named!
        let owner = 0
        for (let i = 0; i < resources.length; i++) {
          const resource = resources[i]
          if (resource >= model.exclusiveResources) break
          // The owner of this node or link was tested at an earlier node or link, and ends by the reservation's start.
          if (model.owners[resource] === owner) continue
          owner = model.owners[resource]
          const holder = model.holderOf(resource)
          if (holder === undefined || !model.isExpectedAt(holder, start)) continue
          const end = model.estimatedEnd(holder)
          const until =
            end === undefined
              ? 'without an estimate'
              : end <= model.time
                ? 'beyond its estimate'
                : `until ${end / 1000} s`
          tally.violated(
            record,
            `${model.nameOf(resource)} is held by job ${holder.id} ${until}, but the reservation starts at ${record.start} s`,
          )
          return
        }
        if (capacity !== undefined) checkCapacity(model, tally, record, start, capacity)
      },
    }
  },
}

function checkCapacity(model: ClusterModel, tally: Tally, record: Reserve, start: number, capacity: number): void {
  if (record.bandwidth === undefined) {
    if (model.named!.resources.length > model.named!.nodes.length)
      tally.violated(record, 'the reserve names links, but no bandwidth')
    return
  }
  const wanted = model.job?.bandwidth ?? 0
  if (record.bandwidth < wanted)
    return tally.violated(
      record,
      `the reserve has ${record.bandwidth} MB/s on each link, but job ${record.job} wants ${wanted} MB/s`,
    )
  if (!model.effort.allows(model.held)) return tally.violated(record, TOO_MUCH)
  const used = model.bandwidthBeyond(start)
  const resource = model.named!.resources.find(
    (each) => each >= model.exclusiveResources && used[each] + record.bandwidth! > capacity,
  )
  if (resource === undefined) return
  tally.violated(
    record,
    `${record.bandwidth} MB/s of ${model.nameOf(resource)} are reserved from ${record.start} s, when jobs still hold ${used[resource]} of its ${capacity} MB/s`,
  )
}

export const reservationsApart: Invariant = {
  name: 'reservations-apart',
  property:
    'Under conservative backfilling, and by estimates, no node or link is reserved for two jobs at the same time, or allocated to one job while reserved for another job. Links shared up to a cap are exempt.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    if (backfill !== 'conservative')
      return `only conservative backfilling has several reservations at a time (backfill: ${backfill})`
    const check = (record: Allocate | Reserve, start: number): void => {
      const { job, named } = model
      if (job === undefined || named === undefined) return
      tally.tested()
      const end = endByEstimate(record.type === 'allocate' ? estimateOf(record, job) : job.estimate, start)
      for (const other of model.reservations.values()) {
        if (other.job === job || other.end <= start || end <= other.start) continue
        if (!model.effort.allows(1 + named.resources.length + other.resources.length))
          return tally.violated(record, TOO_MUCH)
        const common = firstCommon(named.resources, other.resources)
        if (common === undefined || common >= model.exclusiveResources) continue
        tally.violated(
          record,
          `job ${job.id} takes ${model.nameOf(common)} from ${start / 1000} s to ${end / 1000} s, but job ${other.job.id} has reserved ${model.nameOf(common)} from ${other.start / 1000} s to ${other.end / 1000} s`,
        )
        return
      }
    }
    return {
      allocate: (record) => check(record, model.time),
      reserve: (record) => check(record, Math.round(record.start * 1000)),
    }
  },
}

export const reservationMoves: Invariant = {
  name: 'reservation-moves',
  property:
    'The reservation of a waiting job moves to a later start only if a node or link has failed, if a job ran beyond its estimate and the queue has no kill option, if jobs came before the reserved job in a queue order other than submit order, or if run times depend on the placement under conservative backfilling.',
  begin(model, tally) {
    const { order, backfill, window = Infinity, kill = false } = model.rules.queue
    if (model.forgetsWhomToKill) return FORGETS
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
    const reserved = backfill === 'conservative' ? window : 1
    /** Start of the latest reservation of each waiting job, in seconds, by job id. */
    const starts = new Map<string, number>()
    return {
      allocate(record) {
        starts.delete(record.job)
        // Unless in submit order, a new head may start before the reserved job, on nodes and links of the reservation.
        if (order !== 'submit' && backfill === 'easy' && record.backfill === undefined) starts.clear()
      },
      // A controller that continues a log after a gap makes all reservations again.
      gap: () => starts.clear(),
      unreserve(record) {
        if (order !== 'submit' && model.job !== undefined && model.queue.before(model.job) >= reserved)
          starts.delete(record.job)
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
      kill = false,
      reservation,
      window = Infinity,
      replan = false,
      moveMinNodes = 1,
    } = model.rules.queue
    const reserved = backfill === 'conservative' ? window : 1
    const isMovable = reservation === 'movable'
    if (model.forgetsWhomToKill) return FORGETS
    if (backfill === 'none') return `the queue discipline makes no reservations (backfill: ${backfill})`
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
      if (from.job.state !== 'waiting' || model.queue.before(from.job) >= reserved || !model.mayBeHindered(from.job))
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
