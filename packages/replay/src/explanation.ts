import type { Json } from '@cloister/eventlog'
import type { SharedResources } from './resource-overlap.ts'
import type { QueuePlace } from './recorded-queue.ts'

/** Explanation of a job's waits and of their ends. Times are seconds; `seq` is the number of a record. */
export interface Explanation {
  readonly job: string
  readonly size: number
  /** Estimate in seconds; null if the log has none. */
  readonly estimate: number | null
  readonly submitted: number
  /** Number of scheduling passes that left the job waiting, by the job's place in the queue. */
  readonly passes: Readonly<Record<QueuePlace, number>>
  readonly waits: ReadonlyArray<Wait>
  readonly reservations: ReadonlyArray<ReservationChange>
  /** Jobs that started first, from places behind the job in the queue. */
  readonly overtakenBy: ReadonlyArray<Overtaking>
  /** Ends of the job's waits. A job that was killed and queued again has several ends. */
  readonly ends: ReadonlyArray<WaitingEnd>
  /** True if the job waits at the end of the log. */
  readonly stillWaits: boolean
  /** Changes of the job's rate; absent if rates do not change in the log. */
  readonly slowed?: ReadonlyArray<RateChange>
}

/**
 * Change of a job's rate. From the record `seq` on, the job runs at `rate` thousandths of the rate at which the job
 * runs alone.
 */
export interface RateChange {
  readonly seq: number
  readonly t: number
  readonly rate: number
  /**
   * Cause: the start of a job, or the release after an end, on links of the slowed job or of its neighbours; null if
   * unknown. The slowed job itself may be the cause.
   */
  readonly because: { readonly seq: number; readonly change: 'start' | 'end'; readonly job: string } | null
}

/** Consecutive passes that left the job waiting at the same place in the queue and for the same reason. */
export interface Wait {
  readonly from: number
  readonly to: number
  readonly passes: number
  readonly place: QueuePlace
  /**
   * Reason of the wait; null if the job was not tried, or if the reason is unknown. `nearest` is the nearest miss at
   * the start of the wait.
   */
  readonly reason: { readonly code: string; readonly constraint: string; readonly nearest: Json } | null
}

/** Change of a job's reservation, with the causes. */
export interface ReservationChange {
  readonly seq: number
  readonly t: number
  readonly change: 'made' | 'sooner' | 'later' | 'elsewhere' | 'withdrawn'
  /** Planned start in seconds; null if the reservation was withdrawn. */
  readonly start: number | null
  readonly nodes: string | null
  readonly because: ReadonlyArray<ChangeCause>
}

/**
 * Cause of a change of a job's reservation:
 *
 * - `early-end`: a running job ended before its estimate.
 * - `overrun`: a job on the reserved nodes runs past its estimate.
 * - `in-the-way`: a job on the reserved nodes runs beyond the planned start.
 * - `made-way`: the reservation made way for a job that started.
 * - `planned-anew`: the policy places the job elsewhere, because every pass plans the head's reservation again.
 * - `down`, `up`: nodes or links failed or came back.
 * - `other-head`: a different job is the head of the queue.
 * - `left-window`: the job is outside of the window.
 * - `cancel`: the job was cancelled.
 */
export interface ChangeCause {
  readonly event:
    | 'early-end'
    | 'overrun'
    | 'in-the-way'
    | 'made-way'
    | 'planned-anew'
    | 'down'
    | 'up'
    | 'other-head'
    | 'left-window'
    | 'cancel'
  readonly job: string | null
  /**
   * Seq of the record of the cause: an end, the start of the named job, or an outage; null if the cause has no record.
   */
  readonly seq: number | null
}

/** Start of a job from a place behind the explained job in the queue. */
export interface Overtaking {
  readonly seq: number
  readonly t: number
  readonly job: string
  readonly size: number
  /** True if the job was backfilled against the reservation of the explained job. */
  readonly backfilled: boolean
}

/** End of a job's wait: the job started, was cancelled or was rejected. */
export type WaitingEnd =
  | { readonly type: 'cancel'; readonly seq: number; readonly t: number }
  | {
      readonly type: 'reject'
      readonly seq: number
      readonly t: number
      readonly code: string
      readonly constraint: string
    }
  | JobStart

/** Start of a job: the nodes, and the events that made the start possible. */
export interface JobStart {
  readonly type: 'allocate'
  readonly seq: number
  readonly t: number
  readonly nodes: string
  /** Number of jobs that the job passed. */
  readonly ahead: number
  /** Jobs that ended since the previous pass and held nodes or links of the start. */
  readonly freed: ReadonlyArray<Freed>
  /** Event that caused the pass. `reserve`: the pass came at the time of a reservation. */
  readonly cause: { readonly seq: number; readonly type: string; readonly job: string | null }
}

/** Ended job, with the nodes and links that went to a job's start. */
export interface Freed extends SharedResources {
  readonly job: string
  /** Record of the job's end. */
  readonly seq: number
}
