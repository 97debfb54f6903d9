import type { Json } from '@cloister/eventlog'
import type { SharedResources } from './resource-overlap.ts'
import type { QueuePlace } from './recorded-queue.ts'

/** Why a job waited, and how its waiting ended. Times are seconds, `seq` numbers a record. */
export interface Explanation {
  readonly job: string
  readonly size: number
  /** Seconds; null where it was not known. */
  readonly estimate: number | null
  readonly submitted: number
  /** How many passes left it waiting, by where it stood in the queue. */
  readonly passes: Readonly<Record<QueuePlace, number>>
  readonly waits: ReadonlyArray<Wait>
  readonly reservations: ReadonlyArray<ReservationChange>
  /** The jobs that started before it from behind it. */
  readonly overtakenBy: ReadonlyArray<Overtaking>
  /** How its waiting ended: more than once for a job that was killed and waited again. */
  readonly ends: ReadonlyArray<WaitingEnd>
  /** Where the log ends. */
  readonly stillWaits: boolean
  /** How others slowed it while it ran; left out of logs where rates do not change. */
  readonly slowed?: ReadonlyArray<RateChange>
}

/** From here on a job makes `rate` thousandths of the progress that it would make by itself. */
export interface RateChange {
  readonly seq: number
  readonly t: number
  readonly rate: number
  /** What changed it: a start, or the release after an end, of a job on its links or on those of its neighbours; of itself too. */
  readonly because: { readonly seq: number; readonly change: 'start' | 'end'; readonly job: string } | null
}

/** Passes after one another that left the job waiting at the same place in the queue and for the same reason. */
export interface Wait {
  readonly from: number
  readonly to: number
  readonly passes: number
  readonly place: QueuePlace
  /** null where it was not tried, or where no reasons are known. `nearest`: what was missing when this reason began. */
  readonly reason: { readonly code: string; readonly constraint: string; readonly nearest: Json } | null
}

/** A change of a job's reservation, and its causes. */
export interface ReservationChange {
  readonly seq: number
  readonly t: number
  readonly change: 'made' | 'sooner' | 'later' | 'elsewhere' | 'withdrawn'
  /** null where it was withdrawn. */
  readonly start: number | null
  readonly nodes: string | null
  readonly because: ReadonlyArray<ChangeCause>
}

/**
 * Why a reservation changed: a job ended before its estimate; a job that holds some of it runs past its estimate, or for
 * longer than until its start; it made way for a job that started before it; the policy puts it elsewhere by now, where heads are planned anew; nodes or links failed or came back; another job stands before it now; it stands outside the window; it was
 * cancelled.
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
  /** Of the end, the start of the job in the way or that it made way for, or the outage. */
  readonly seq: number | null
}

/** A job that was submitted later and started earlier. */
export interface Overtaking {
  readonly seq: number
  readonly t: number
  readonly job: string
  readonly size: number
  /** Whether it was backfilled while this job had the reservation. */
  readonly backfilled: boolean
}

/** How a job's wait ended: it started, was cancelled or was rejected. */
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

/** The start of a job: the nodes, and the events that made it possible. */
export interface JobStart {
  readonly type: 'allocate'
  readonly seq: number
  readonly t: number
  readonly nodes: string
  /** How many jobs it passed. */
  readonly ahead: number
  /** The jobs that ended since the pass before and held some of what it took. */
  readonly freed: ReadonlyArray<Freed>
  /** What called for the pass. */
  readonly cause: { readonly seq: number; readonly type: string; readonly job: string | null }
}

/** A job that ended and what it held of what another job then started on. */
export interface Freed extends SharedResources {
  readonly job: string
  /** Of its end. */
  readonly seq: number
}
