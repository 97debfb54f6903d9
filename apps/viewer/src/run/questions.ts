import type { Header, LogRecord } from '@cloister/eventlog'
import type {
  JobField,
  JobHistogram,
  JobNumber,
  JobText,
  Metrics,
  TimelineFigure,
  TimelineMoment,
} from '@cloister/metrics'
import type { AreaCauses, AreaGroup, AreaQuestion, Outages } from './area.ts'
import type { LinkGroup } from './link-use.ts'
import type { Explanation, Relief, Room, Unplaced } from '@cloister/replay'

/** Questions of the page about a run, with answers. Times are in seconds; `number` is a job's place in submit order. */

/** State of the log and of its reading. */
export interface Overview {
  readonly header: Header
  /** Changes when the file is replaced. All earlier answers are then void. */
  readonly generation: number
  /** Number of records read so far. */
  readonly records: number
  readonly jobs: number
  readonly spans: number
  /** First record whose state the run had: 0, or the last record before the part of a run. */
  readonly first: number
  /** Number of records with known states. A log with an index has all its states at once. */
  readonly seekable: number
  /** Time of the last record with a known state. */
  readonly seekableTime: number
  readonly lastTime: number
  /**
   * State of the log:
   *
   * - reading: the rest follows at once.
   * - written: the run still goes on.
   * - failed: the policy of the run failed.
   * - broken: a record contradicts the records before.
   */
  readonly status: 'reading' | 'written' | 'whole' | 'failed' | 'unsealed' | 'torn' | 'corrupt' | 'broken'
  /** Problem of the log, or null. */
  readonly message: string | null
  /** The record that contradicts the records before, or null. */
  readonly broken: LogRecord | null
  /** Number of records about failed or repaired nodes. */
  readonly outageRecords: number
  /** Share of the file that is read, from 0 to 1. */
  readonly progress: number
  /** True if the policy can be asked. */
  readonly canAsk: boolean
}

/** Jobs and spans from given numbers on. A span is one stay of a job on its nodes. */
export interface Growth {
  readonly ids: ReadonlyArray<string>
  readonly submits: Float64Array
  readonly sizes: Int32Array
  /** Columns of the spans: job, start, end (NaN while the job runs), flags, number of node ranges. */
  readonly spanJobs: Int32Array
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly flags: Uint8Array
  readonly rangeCounts: Int32Array
  /** First and last node of each range. */
  readonly ranges: Int32Array
  /** First span that may still change; the next question begins with this span. */
  readonly settled: number
}

export const spanFlags = { backfilled: 1, killed: 2, failed: 4 } as const

/**
 * Owners of nodes and links other than jobs. `unread` stands for a job that is not read yet, in a log with an index.
 */
export const noOwner = { free: -1, down: -2, unread: -3 } as const

/** The state after a record. */
export interface Moment {
  /** Name of the state, sent back as `since`; absent if every moment is sent whole. */
  readonly state?: string
  readonly seq: number
  readonly t: number
  readonly free: number
  readonly down: number
  readonly waiting: number
  /** Nodes that the smallest waiting job requests; null if no job waits. */
  readonly smallest: number | null
  readonly running: ReadonlyArray<{
    readonly job: string
    readonly number: number
    readonly size: number
    readonly start: number
    readonly expectedEnd: number | null
    readonly nodes: string
    /** Rate of progress in 1/1000 of the undisturbed rate. */
    readonly rate: number
  }>
  /** Number of links of leaves that jobs own; 0 if links are not owned. */
  readonly leafLinks: number
  /** Number of higher links that jobs own; 0 if links are not owned. */
  readonly upperLinks: number
  /** First jobs of the queue, in submit order. */
  readonly queue: ReadonlyArray<{
    readonly job: string
    readonly number: number
    readonly size: number
    readonly submitted: number
    readonly estimate: number | null
  }>
  readonly reservations: ReadonlyArray<{
    readonly job: string
    readonly number: number
    readonly start: number
    readonly nodes: string
    readonly links: ReadonlyArray<string>
    readonly seq: number
  }>
  readonly nodeOwners: Int32Array
  /** Owners of all links, level by level. If links are shared, the bandwidth in use in MB/s. */
  readonly linkOwners: Int32Array
}

export interface Why {
  readonly lines: ReadonlyArray<WhyLine>
  /** Nodes of the largest job that would fit now; null without a policy. */
  readonly largest: number | null
  /** Source of the reasons. policy: the policy's answer in this state. log: refuse records. none: unknown. */
  readonly source: 'policy' | 'log' | 'none'
}

export interface WhyLine {
  readonly job: string
  readonly size: number
  readonly place: 'head' | 'window' | 'outside'
  readonly why: string
  readonly nearest: string | null
}

export interface JobLife {
  readonly job: string
  readonly number: number
  /** Records of the job except refusals. A very long list has only its first and last records. */
  readonly records: ReadonlyArray<LogRecord>
  readonly omitted: number
  /** Number of the job's refuse records. */
  readonly refusals: number
}

export interface Counts {
  readonly free: number
  readonly running: number
  readonly waiting: number
  readonly reservations: number
  readonly down: number
}

export interface RecordView {
  readonly record: LogRecord
  /** The line of the log. */
  readonly line: string
  /** Cause of the record, cause of the cause, and so on, back to an input. */
  readonly causes: ReadonlyArray<LogRecord>
  /** Null if the record is before the part of a run in the log, because its state is unknown. */
  readonly before: Counts | null
  readonly after: Counts | null
}

/** Lowest and highest values of a timeline's figures in spans of equal length, and the middles of the spans. */
export type TimelineAnswer = Readonly<Record<`${TimelineFigure}${'Low' | 'High'}` | 't', Float64Array>>

/** Time-weighted means of the figures of a timeline in spans of equal length, and the middles of the spans. */
export type TimelineMeansAnswer = Readonly<Record<TimelineFigure | 't', Float64Array>>

/**
 * Every value of two figures. A value holds from its instant until the next one, the last value until `until`. Times
 * are in seconds.
 */
export interface StepsAnswer {
  readonly until: number
  readonly t: Float64Array
  readonly busy: Int32Array
  readonly waiting: Int32Array
}

/** Use of links: the mean share of each group in spans of equal length, in 1/10000, group after group. */
export interface LinkUseAnswer {
  readonly groups: ReadonlyArray<LinkGroup>
  readonly shares: Int32Array
}

/** A part of the table of jobs. */
export interface JobListQuestion {
  /** Query in the syntax of `parseJobQuery`. */
  readonly query: string
  /** Field of the order; null for submit order. */
  readonly sort: JobField | null
  readonly descending: boolean
  /** First row. */
  readonly from: number
  /** Number of rows. */
  readonly count: number
  /** Figure that is counted over all jobs of the query; null for none. */
  readonly histogram: JobNumber | null
}

/** A row of the table of jobs; null for numbers that a job does not have. */
export type JobRow = Readonly<Record<Exclude<JobNumber, 'bandwidth'>, number | null> & Record<JobText, string>>

export interface JobListAnswer {
  /** Problem of the query, or null. */
  readonly error: string | null
  /** Number of all jobs. */
  readonly jobs: number
  /** Number of jobs of the query. */
  readonly found: number
  readonly rows: ReadonlyArray<JobRow>
  readonly histogram: JobHistogram | null
}

/** Reasons for a job's wait, and their source: `policy`, asked again; `log`, from its refusals; `none`, unknown. */
export interface WholeWhy {
  readonly explanation: Explanation | null
  readonly source: 'policy' | 'log' | 'none'
  /** First record that the policy decides differently from the log; null if there is none. */
  readonly differsFrom: number | null
  /** Record from which on no reasons are known; null if the source has all reasons. */
  readonly reasonsUntil: number | null
}

/** Uses of the node-time of an area, in node-seconds. */
export interface AreaAnswer {
  readonly total: number
  readonly causes: AreaCauses
  /** Number of jobs in the area. */
  readonly allJobs: number
  /** Jobs with the most node-time in the area. */
  readonly jobs: ReadonlyArray<{ readonly job: string; readonly size: number; readonly held: number }>
  readonly bySize: ReadonlyArray<AreaGroup>
  /** Sums by user. Jobs without a known user have the empty name. */
  readonly byUser: ReadonlyArray<AreaGroup>
}

/** Parameters (`ask`) and `answer` of each question. */
export interface Questions {
  readonly overview: { readonly ask: Record<string, never>; readonly answer: Overview }
  readonly growth: { readonly ask: { readonly jobs: number; readonly spans: number }; readonly answer: Growth }
  readonly timeline: {
    readonly ask: { readonly from: number; readonly to: number; readonly points: number }
    readonly answer: TimelineAnswer
  }
  readonly means: {
    readonly ask: { readonly from: number; readonly to: number; readonly points: number }
    readonly answer: TimelineMeansAnswer
  }
  readonly steps: { readonly ask: Record<string, never>; readonly answer: StepsAnswer }
  readonly linkUse: {
    readonly ask: { readonly from: number; readonly to: number; readonly points: number }
    readonly answer: LinkUseAnswer
  }
  /** Moment of the highest value of a figure within a time; null if the figure was always 0. */
  readonly worst: {
    readonly ask: { readonly figure: TimelineFigure; readonly from: number; readonly to: number }
    readonly answer: { readonly moment: TimelineMoment | null }
  }
  readonly area: { readonly ask: AreaQuestion; readonly answer: AreaAnswer }
  readonly jobs: { readonly ask: JobListQuestion; readonly answer: JobListAnswer }
  readonly explain: { readonly ask: { readonly job: string }; readonly answer: WholeWhy }
  /**
   * Moment after the last record not later than `t`, or after record `seq`. The answer has only the differences to
   * the moment `since` if the answerer knows that moment; '' asks for the whole moment.
   */
  readonly moment: {
    readonly ask: ({ readonly seq: number } | { readonly t: number }) & { readonly since?: string }
    readonly answer: Moment
  }
  /** Record at the end of the next or previous step. */
  readonly step: {
    readonly ask: { readonly seq: number; readonly by: 'record' | 'pass'; readonly direction: 1 | -1 }
    readonly answer: { readonly seq: number }
  }
  readonly why: { readonly ask: { readonly seq: number }; readonly answer: Why }
  /** Largest job that would fit at a moment; null without a policy. */
  readonly largest: {
    readonly ask: { readonly seq: number } | { readonly t: number }
    readonly answer: { readonly nodes: number | null }
  }
  /** Number of jobs of each size that would fit at a moment; null without a policy. */
  readonly room: {
    readonly ask: { readonly seq: number } | { readonly t: number }
    readonly answer: { readonly room: Room | null }
  }
  /** Single changes that would let the first waiting job start; null if no job waits, or without a policy. */
  readonly relief: { readonly ask: { readonly seq: number }; readonly answer: { readonly relief: Relief | null } }
  /** Cause that keeps nodes idle although a waiting job needs no more; null without such nodes or without a policy. */
  readonly unplaced: {
    readonly ask: { readonly seq: number } | { readonly t: number }
    readonly answer: { readonly unplaced: Unplaced | null }
  }
  readonly outages: { readonly ask: Record<string, never>; readonly answer: Outages }
  readonly job: { readonly ask: { readonly job: string }; readonly answer: JobLife | null }
  readonly record: { readonly ask: { readonly seq: number }; readonly answer: RecordView }
  readonly metrics: { readonly ask: Record<string, never>; readonly answer: Metrics }
}
export type QuestionName = keyof Questions

/** Questions that the policy answers. The answers take time. */
export const policyQuestionNames = ['why', 'largest', 'room', 'relief', 'unplaced'] as const
export type PolicyQuestionName = (typeof policyQuestionNames)[number]

export function isPolicyQuestion(name: QuestionName): name is PolicyQuestionName {
  return policyQuestionNames.some((each) => each === name)
}

/** Answers questions: the server, or an exported page with a log. */
export interface Answerer {
  /**
   * Answers a question about the run.
   *
   * @param signal aborted when nobody waits for the answer any more; the promise may then reject
   */
  ask<Name extends QuestionName>(
    name: Name,
    question: Questions[Name]['ask'],
    signal?: AbortSignal,
  ): Promise<Questions[Name]['answer']>
  /**
   * Returns an answerer for the run of one generation; overviews are always of the latest run. Absent if no log can
   * be replaced.
   */
  of?(generation: number): Answerer
}
