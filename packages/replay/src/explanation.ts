import { type Allocate, describeNearest, type Json, type Submit } from '@cloister/eventlog'
import type { Outcome } from '@cloister/placement'
import { formatIdset, inRails } from '@cloister/topology'
import type { QueuePlace, SharedResources } from './recorded-passes.ts'

/** Explanation of a job's waits and of their ends. Times are seconds; `seq` is the number of a record. */
export interface Explanation {
  readonly job: string
  readonly size: number
  /** Estimate in seconds; null if the job's submit record has none. */
  readonly estimate: number | null
  readonly submitted: number
  /** Accounting of a foreign scheduler about the job; absent if the submit record has none. */
  readonly accounting?: Accounting
  /** Number of scheduling passes that left the job waiting, by the job's place in the queue. */
  readonly passes: Readonly<Record<Exclude<QueuePlace, 'early'>, number>> & { readonly early?: number }
  readonly waits: ReadonlyArray<Wait>
  /**
   * Seconds until all jobs of earlier turns had started or left the queue, and seconds that the job then waited for
   * nodes; absent unless the queue order claims `recorded`.
   */
  readonly turn?: { readonly forTurn: number; readonly forNodes: number }
  /** Heads of the queue while the job waited behind the head, the longest head first; none for a real machine. */
  readonly heads: ReadonlyArray<{ readonly job: string; readonly seconds: number }>
  readonly reservations: ReadonlyArray<ReservationChange>
  /** Starts of jobs from places behind the explained job, while the explained job waited. */
  readonly overtakenBy: ReadonlyArray<Overtaking>
  /** Ends of the job's waits. A job that was killed and queued again has several ends. */
  readonly ends: ReadonlyArray<WaitingEnd>
  readonly stillWaits: boolean
  /** Moves of the running job to other nodes; absent for none. */
  readonly moves?: ReadonlyArray<JobMove>
  /** Losses of the job's routes by failures; absent for none. */
  readonly lostRoutes?: ReadonlyArray<LostRoutes>
  /** Changes of the job's rate; absent if the log has no rates. */
  readonly slowed?: ReadonlyArray<RateChange>
}

/** Fields of submit records that have only the accounting of a foreign scheduler. */
export const accountingFields = [
  'qos',
  'advance_reservation',
  'priority',
  'gpus',
  'array',
  'array_task',
  'het_job',
  'het_offset',
] as const

/** Accounting of a foreign scheduler in a submit record, with the queue of the job. */
export type Accounting = Pick<Submit, 'queue' | (typeof accountingFields)[number]>
/** Move of a running job to other nodes for the start of the job `for`. Record `seq` has the new nodes. */
export interface JobMove {
  readonly seq: number
  readonly t: number
  readonly for: string
  /** Nodes after the move, as an idset. */
  readonly nodes: string
  /** Time that the move adds to the run of the job, in seconds. */
  readonly cost: number
}

/** Loss of a job's routes from record `seq` on. */
export interface LostRoutes {
  readonly seq: number
  readonly t: number
  /** Message of the router about two nodes without a route between them. */
  readonly reason: string
}

/** Change of a job's rate: from record `seq` on, `rate` thousandths of the job's rate without other jobs. */
export interface RateChange {
  readonly seq: number
  readonly t: number
  readonly rate: number
  /** Start or release of a job that changed the rate; null if the record of the change has another cause. */
  readonly because: { readonly seq: number; readonly change: 'start' | 'end'; readonly job: string } | null
}

/** Consecutive passes that left the job waiting at the same place in the queue and for the same reason. */
export interface Wait {
  readonly from: number
  readonly to: number
  readonly passes: number
  readonly place: QueuePlace
  /** Reason of the wait, with the nearest miss at the first pass; null if not known, or if no pass tried the job. */
  readonly reason: { readonly code: string; readonly constraint: string; readonly nearest: Json } | null
}

/** Change of the explained job's reservation, with the causes of the change. */
export interface ReservationChange {
  readonly seq: number
  readonly t: number
  readonly change: 'made' | 'sooner' | 'later' | 'elsewhere' | 'withdrawn'
  /** Planned start of the reserved job; null if the reservation was withdrawn. */
  readonly start: number | null
  readonly nodes: string | null
  readonly because: ReadonlyArray<ChangeCause>
}

/**
 * Cause of a change of a job's reservation:
 *
 * - `early-end`: a running job ended before its estimate.
 * - `overrun`: a job on the reserved nodes runs past its estimate.
 * - `in-the-way`: a job on the reserved nodes runs, by its estimate, beyond the planned start.
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
  /** `seq` of the end, start or outage that caused the change; null if the cause has no record. */
  readonly seq: number | null
  /** Rails whose cables failed or came back, as an idset; absent if whole links failed or came back. */
  readonly rails?: string
}

/** Start of a job from a place in the queue behind the explained job. */
export interface Overtaking {
  readonly seq: number
  readonly t: number
  readonly job: string
  readonly size: number
  /** True if the job was backfilled beside the reservation of the explained job. */
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
  /** Graphics processors of the allocation; absent if unknown. */
  readonly gpus?: number
  /** Part of a foreign scheduler that started the job; absent if unknown. */
  readonly startedBy?: NonNullable<Allocate['started_by']>
  /** Number of jobs that waited before this job in the queue at its start. */
  readonly ahead: number
  /** Jobs whose nodes or links the started job got, and that ended between the previous pass and the start. */
  readonly freed: ReadonlyArray<Freed>
  /** Event that caused the scheduling pass; type `reserve` if the pass came at the time of a reservation. */
  readonly cause: { readonly seq: number; readonly type: string; readonly job: string | null }
}

/** Job that ended or moved, with the nodes and links that went to a job's start. */
export interface Freed extends SharedResources {
  readonly job: string
  /** Record of the job's finish or kill, or of the release by which the job moves. */
  readonly seq: number
  /** True if the job moved and runs on; absent if the job ended. */
  readonly moves?: true
}

/** Returns the reason of a wait in a few words. */
export function waitInWords({ place, reason }: Wait): string {
  if (place === 'outside') return 'behind the window'
  if (place === 'early') return 'a job of an earlier turn is not yet submitted'
  if (reason === null) return 'unknown'
  if (reason.code === 'search-bound') return `the policy gave up the search after ${reason.constraint}`
  return reason.code === 'too-few-nodes' ? 'too few free nodes' : reason.constraint
}

/** Returns the cause of a reservation's change in words, with the number of the causing record. */
export function changeInWords({ event, job, seq, rails }: ChangeCause): string {
  const record = seq === null ? '' : ` (record ${seq})`
  switch (event) {
    case 'early-end':
      return `job ${job} ended before its estimate${record}`
    case 'overrun':
      return `job ${job} runs past its estimate`
    case 'in-the-way':
      return `job ${job} holds reserved nodes or links beyond the planned start`
    case 'made-way':
      return `the reservation made way for job ${job}${record}`
    case 'planned-anew':
      return 'the policy now places the job elsewhere'
    case 'down':
      return `reserved nodes or links failed${inRails(rails)}${record}`
    case 'up':
      return `nodes or links came back${inRails(rails)}${record}`
    case 'other-head':
      return `job ${job} is before the job in the queue`
    case 'left-window':
      return 'the job is outside of the window'
    case 'cancel':
      return 'the job was cancelled'
  }
}

/**
 * Describes the answer of a policy to a request in a few words: nodes and links, or the reason of the refusal.
 * @param nodesInWords returns the words for a set of node ids such as `0-17`; default: the ids
 */
export function outcomeInWords(outcome: Outcome, nodesInWords = (ids: string): string => ids): string {
  if (outcome.ok) {
    const links = outcome.links.map((level) => formatIdset(level)).filter((ids) => ids !== '')
    return `nodes ${nodesInWords(formatIdset(outcome.nodes))}${links.length === 0 ? '' : `, links ${links.join(' and ')}`}`
  }
  switch (outcome.code) {
    case 'too-few-nodes':
      return `refused: only ${outcome.free} nodes are free`
    case 'no-placement':
      return `refused: ${outcome.constraint}${outcome.nearest === undefined ? '' : ` (${describeNearest(outcome.nearest)})`}`
    case 'search-bound':
      return `gave up the search after ${outcome.steps} steps`
    case 'never':
      return `never on this machine: ${outcome.constraint}`
  }
}
