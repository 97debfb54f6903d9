import type { Invariant, Tally } from '../invariant.ts'
import { endByEstimate, estimateOf, type Reservation } from '../cluster/jobs.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Allocate, Reserve } from '@cloister/eventlog'
import { firstCommon } from '../cluster/named-resources.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'Only EASY and conservative backfilling make reservations. Under EASY, at most one reservation is in force at a time. Under conservative backfilling, each job has at most one reservation, and the number of reservations is at most the window. No reservation starts in the past. An unreserve names a reservation of its own job. At the end of the log, only waiting jobs have reservations.',
  begin(model, tally) {
    const { backfill, reserves, window = Infinity } = model.rules.queue
    const isAlone = backfill !== 'conservative'
    const inForce = (): Reservation | undefined => {
      const [first] = model.reservations.values()
      return isAlone ? first : model.job?.reservation
    }
    // The invariant queue-order reports a reservation of a job beyond the window.
    const isTooMany = (): boolean =>
      !isAlone &&
      model.reservations.size >= window &&
      model.job !== undefined &&
      (model.whyOrderUnknown !== undefined || model.queue.before(model.job) < window)
    return {
      reserve(record) {
        tally.tested()
        const other = inForce()
        if (!reserves) tally.violated(record, `the queue discipline makes no reservations (backfill: ${backfill})`)
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

/** Longest time, in ms, from now to the start of a reservation that waits for a job beyond its estimate. */
export const OVERRUN_GRACE = 1000

export const reservationStart: Invariant = {
  name: 'reservation-start',
  property:
    'The start of a reservation is the estimated end of a running job or, under conservative backfilling, also the estimated end of another reservation. While a running job is beyond its estimate, a reservation may start at any time within one second from now. A movable reservation may move to other nodes and links with the same start.',
  begin(model, tally) {
    const { backfill, reserves, reservation } = model.rules.queue
    const isMovable = reservation === 'movable'
    /** Start of the latest reservation of each waiting job, in seconds; empty unless reservations are movable. */
    const starts = new Map<string, number>()
    if (!reserves) return `the queue discipline makes no reservations (backfill: ${backfill})`
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
