import { stepsOf } from '../tables/steps.ts'
import { long, nodeTime, optional, seconds, text } from '../tables/table.ts'
import { jobColumn, largestFirst, marked, type QueriedLog, type Query, queryOf } from './contract.ts'
import { type Wait, waitsOf } from './waits.ts'

/** Jobs that started later than first planned. */
export const reservationSlips: Query = queryOf<Wait>(
  'reservation-slips',
  'Which jobs started later than their first reservation planned?',
  [
    jobColumn,
    long('size', 'requested nodes', ({ submit }) => submit.size, 'nodes'),
    marked(
      'record',
      long(
        'reservation',
        'number of the reserve record of the first reservation',
        ({ firstReserve }) => firstReserve!.seq,
      ),
    ),
    marked(
      'time',
      seconds('made_time', 'time of the first reservation', ({ firstReserve }) => firstReserve!.t),
    ),
    marked(
      'begin',
      seconds('planned_start', 'planned start of the first reservation', ({ firstReserve }) => firstReserve!.start),
    ),
    marked(
      'end',
      optional.seconds(
        'start_time',
        'start of the job; missing if the job waits at the end of the log',
        ({ start }) => start,
      ),
    ),
    seconds('slip', 'time from the planned start to the start, or to the end of the log', slipOf),
    long('reservations', 'reservations of the job in this wait', ({ reservations }) => reservations, 'reservations'),
  ],
  (log) =>
    largestFirst(
      waitsOf(log).filter((wait) => wait.firstReserve !== undefined && slipOf(wait) > 0),
      slipOf,
    ),
)

function slipOf({ firstReserve, end }: Wait): number {
  return end - firstReserve!.start
}

/** Reservations of a job in one wait, with the times that the job had a reservation. Times are in seconds. */
interface Blocked {
  readonly job: string
  readonly size: number
  readonly reservation: number
  readonly begin: number
  end: number | undefined
  reservedTime: number
  idleTime: number
}

/** Blocked jobs during whose reservations most node-time was idle. */
export const costliestReservations: Query = queryOf<Blocked>(
  'costliest-reservations',
  'During the reservations of which blocked jobs was most node-time idle?',
  [
    marked(
      'job',
      text('job', 'id of the blocked job', ({ job }) => job),
    ),
    long('size', 'requested nodes', ({ size }) => size, 'nodes'),
    marked(
      'record',
      long('reservation', 'number of the reserve record of the first reservation', ({ reservation }) => reservation),
    ),
    marked(
      'begin',
      seconds('made_time', 'time of the first reservation', ({ begin }) => begin),
    ),
    marked(
      'end',
      optional.seconds(
        'end_time',
        'end of the last reservation; missing if the job has one at the end of the log',
        ({ end }) => end,
      ),
    ),
    seconds('reserved_time', 'time for which the job had a reservation', ({ reservedTime }) => reservedTime),
    nodeTime('idle_time', 'idle node-time while the job had a reservation', ({ idleTime }) => idleTime),
  ],
  (log) => largestFirst(blocked(log), ({ idleTime }) => idleTime),
)

function blocked(log: QueriedLog): Iterable<Blocked> {
  const found: Array<Blocked> = []
  /** Reservations of the jobs that wait, and the time and the idle node-time at the begin of the open reservation. */
  const current = new Map<string, Blocked>()
  const opened = new Map<string, { readonly t: number; readonly idle: number }>()
  let [t, idle, free] = [0, 0, 0]
  const close = (job: string): void => {
    const open = opened.get(job)
    if (open === undefined) return
    opened.delete(job)
    const wait = current.get(job)!
    Object.assign(wait, {
      end: t,
      reservedTime: wait.reservedTime + t - open.t,
      idleTime: wait.idleTime + idle - open.idle,
    })
  }
  for (const { record, state, before, isBefore } of stepsOf(log.records(), (first) => {
    t = first.header.part?.from ?? 0
    free = first.freeNodes.size
  })) {
    idle += free * Math.max(0, record.t - t)
    t = Math.max(t, record.t)
    free = state.freeNodes.size
    if (!('job' in record) || record.job === undefined) continue
    const { job } = record
    if (record.type === 'reserve') {
      opened.set(job, { t, idle })
      const none = {
        job,
        size: before.waiting!.size,
        reservation: record.seq,
        begin: record.t,
        reservedTime: 0,
        idleTime: 0,
      }
      current.set(job, { ...(current.get(job) ?? none), end: undefined })
    } else if (before.reservation !== undefined && !state.reservations.has(job)) close(job)
    // The unreserve record of a cancelled job follows the cancel.
    if (state.waiting.has(job) || opened.has(job)) continue
    const wait = current.get(job)
    current.delete(job)
    if (wait !== undefined && !isBefore) found.push(wait)
  }
  for (const job of opened.keys()) {
    close(job)
    current.get(job)!.end = undefined
  }
  return [...found, ...current.values()]
}
