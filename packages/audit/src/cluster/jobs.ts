import type { Allocate, LogRecord, OptionsRef, Submit } from '@cloister/eventlog'
import type { Summands } from './resource-sums.ts'

/**
 * State of a job. A `finished` or `killed` job still has its allocation; an `over` job has left queue or machine. A
 * `moving` job has left its nodes and gets others.
 */
export type JobState = 'waiting' | 'running' | 'moving' | 'finished' | 'killed' | 'over'

/** Allocation of a job, from its allocate record to its release. */
export interface JobAllocation {
  /** Seq of the allocate record. */
  readonly seq: number
  /** Start of the job, in ms. */
  readonly start: number
  readonly resources: Int32Array
  /** Number of nodes, the first members of `resources`. */
  readonly nodes: number
  /** MB/s that the job holds on each link of the allocation; 0 if the allocate record has no bandwidth. */
  readonly bandwidth: number
  /** Numbers that the allocation adds to the sums of seals. */
  readonly summands: Summands
  /** Estimated run time on this allocation, in ms; undefined if the job has no estimate. */
  readonly estimate: number | undefined
  /**
   * Numbers (`order`) of the jobs that waited ahead of the job at its start, ascending; empty without the kill option. Only
   * the job of the reservation in `backfill` if the auditor does not know the queue order.
   */
  readonly passed: Int32Array
  /** True if `passed` may be wrong, because scores of jobs differed by rounding only. */
  readonly isPassingInDoubt: boolean
}

/** Reservation in force: neither taken back nor used by the start of its job. */
export interface Reservation {
  readonly seq: number
  readonly job: Job
  /** Planned start of the job, in ms. */
  readonly start: number
  /** Planned end of the job by its estimate, in ms: at least `start` + 1; Infinity if the job has no estimate. */
  readonly end: number
  readonly resources: Int32Array
  /** MB/s that the reservation takes on each of its links; 0 if the reserve record has no bandwidth. */
  readonly bandwidth: number
}

/** Submitted job in the auditor's model. */
export interface Job {
  readonly id: string
  /** Number of the job in submit order, from 0. */
  readonly order: number
  /** Time of the submit record, in ms. */
  readonly submitted: number
  readonly size: number
  /** Estimated run time of the submit record, in ms; undefined if the record has no estimate. */
  readonly estimate: number | undefined
  /** MB/s that the job wants on each of its links; undefined if the submit record names none. */
  readonly bandwidth: number | undefined
  readonly communication: Submit['communication']
  /** User of the submit record; undefined if the record names none. */
  readonly user: string | undefined
  /** Place of the job in the order of the recorded starts, from 1; undefined if the submit record has none. */
  readonly turn: number | undefined
  /** Time, in ms, from which the job may stand in the queue, for an order that claims `recorded`. */
  readonly eligible: number
  /** Score in the queue order, of the submission or of the latest ranking; the lowest is first. */
  score: number
  state: JobState
  /** Allocation of the job, from allocate to release; undefined at other times. */
  allocation: JobAllocation | undefined
  /** Reservation of the job, from reserve to unreserve or allocate; undefined at other times. */
  reservation: Reservation | undefined
  /** Seq of the finish, kill or withdraw that ended the job's latest run; 0 before an end or after a withdrawn kill. */
  endedBy: number
  /** Seq of the job's latest kill, or withdraw of a start; 0 if there is none since the last requeue. */
  killedBy: number
  /** Seq of the job's latest cancel; 0 if the job was not cancelled. */
  cancelledBy: number
  /** Seq of the job's latest release; 0 if the job has not released an allocation. */
  releasedBy: number
}

/** Returns all that a policy knows about a job, except id and times: equal texts stand for equal requests. */
export function requestOf({ size, estimate, bandwidth, communication }: Job): string {
  return JSON.stringify([size, estimate, bandwidth, communication])
}

/**
 * Returns the end, in ms, of a job that starts at `start` and runs as long as its estimate; Infinity without an
 * estimate. The estimate 0 counts as 1 ms, because no second job can have the nodes of the job at the same instant.
 */
export function endByEstimate(estimate: number | undefined, start: number): number {
  return start + Math.max(estimate ?? Infinity, 1)
}

/**
 * Returns a job's estimated run time on an allocation, in ms: the estimate of the allocate record, or else of the
 * submit record; undefined if neither record has an estimate.
 */
export function estimateOf({ estimate }: Allocate, job: Job): number | undefined {
  return estimate === undefined ? job.estimate : milliseconds(estimate)
}

export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

const disciplines = ['none', 'unreserved', 'counting', 'easy', 'conservative', 'external'] as const

/** Queue discipline of a run, read by the auditor from the options in the header. */
export interface QueueRules {
  /**
   * `none`: first come, first served. `unreserved`: backfilling without reservations. `counting`: backfilling that
   * reserves a number of nodes. `external`: the unknown discipline of a foreign scheduler.
   */
  readonly backfill: (typeof disciplines)[number]
  /** True if the discipline makes reservations, or may make them. */
  readonly reserves: boolean
  readonly window?: number
  readonly kill?: true
  /** Rule of `counting` for jobs before the head. Absent: a job ends in time, or leaves the head enough nodes. */
  readonly passing?: 'early' | 'in-order'
  /**
   * `movable` if reservations may move to other nodes and links. Absent if reservations are fixed, or the discipline
   * has none.
   */
  readonly reservation?: 'movable'
  readonly windowOrder?: NonNullable<OptionsRef['windowOrder']>
  readonly replan?: true
  /** Least size, in nodes, of a job that may move a movable reservation of EASY; absent for 1. */
  readonly moveMinNodes?: number
}

/** Rules of the scheduler, read by the auditor from the options in the header. */
export interface SchedulerRules {
  readonly queue: QueueRules
  readonly requeue: boolean
  readonly estimates: OptionsRef['estimates']
  readonly overrun: 'run-on' | 'kill'
  readonly runTimes: 'fixed' | NonNullable<OptionsRef['runTimes']>
  readonly refusals: boolean
  /** Cost of a move in ms, and most moves for one start; undefined if running jobs stay on their nodes. */
  readonly migrate: { readonly cost: number; readonly limit: number } | undefined
}

/** Returns the rules of the scheduler from the options of a header, with the defaults of SPEC.md for absent options. */
export function schedulerRules(options: OptionsRef): SchedulerRules {
  const { requeue = false, estimates, overrun, runTimes = 'fixed', refusals = false } = options
  const runsOn = overrun === 'run-on' || overrun === 'extend'
  const queue = queueRules(options)
  const migrate = migrateRules(options)
  return { queue, requeue, estimates, overrun: runsOn ? 'run-on' : 'kill', runTimes, refusals, migrate }
}

function migrateRules({ migrate }: OptionsRef): SchedulerRules['migrate'] {
  const [cost, limit] = (migrate ?? '').match(/\d+/g) ?? []
  return limit === undefined ? undefined : { cost: 1000 * Number(cost), limit: Number(limit) }
}

function queueRules({ queue: spelled, reservation, windowOrder, replan, moveMinNodes }: OptionsRef): QueueRules {
  const [discipline, ...words] = spelled.split(',')
  const [name, window] = discipline.split(':')
  const backfill = disciplines.find((each) => each === name) ?? 'none'
  const reserves = backfill === 'easy' || backfill === 'conservative' || backfill === 'external'
  if (window === undefined) return { backfill, reserves }
  const kills = words.includes('kill')
  const passing = (['early', 'in-order'] as const).find((each) => words.includes(each))
  return {
    backfill,
    reserves,
    window: Number(window),
    ...(kills ? { kill: true } : {}),
    ...(passing === undefined ? {} : { passing }),
    ...(reservation === 'fixed' || kills || !reserves ? {} : { reservation: 'movable' }),
    ...(windowOrder === undefined ? {} : { windowOrder }),
    ...(replan === undefined ? {} : { replan }),
    ...(moveMinNodes === undefined ? {} : { moveMinNodes }),
  }
}

/** Returns true if a record after decisions begins a further round of its instant. */
export function endsRound(record: LogRecord): boolean {
  return record.type === 'finish' || (record.type === 'kill' && record.code !== 'reservation')
}
