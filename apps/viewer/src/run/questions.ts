import type { TableFormat, TableName } from '@cloister/exports'
import type { Header, JobPaths, LogRecord, PortEnd, RoutedPath } from '@cloister/eventlog'
import type {
  JobField,
  JobHistogram,
  JobNumber,
  JobText,
  Metrics,
  TimelineFigure,
  TimelineMoment,
} from '@cloister/metrics'
import type { Explanation, FittingSizes, FragmentedNodes, Relief } from '@cloister/replay'
import type { AreaAnswer, AreaQuestion, Outages } from './area.ts'
import type { OfferedQuery, QueryAnswer } from './queries.ts'
import type { OfferedTable } from './tables.ts'

// Questions of the viewer's page about a run, with their answers. Times are in seconds. A `number` of a job is its
// place in submit order, from 0.

export type FaultRecord = Extract<LogRecord, { readonly type: 'fault' }>

/** Answer to the question `overview`: the state of the log and of its reading. */
export interface Overview {
  readonly header: Header
  /** Generation of the log: grows when another log replaces the file. Answers of an older generation are void. */
  readonly generation: number
  /** Number of records read so far. */
  readonly records: number
  readonly jobs: number
  readonly spans: number
  /** First record whose state is known: 0, or in a log of a part of a run the last record before the part. */
  readonly first: number
  /** Number of records up to the last known state. A log with an index has all states before its records are read. */
  readonly seekable: number
  /** Time of the last record with a known state, in seconds. */
  readonly seekableTime: number
  readonly lastTime: number
  /**
   * Status of the log:
   *
   * - `reading`: the program still reads the log.
   * - `written`: another program still writes the log.
   * - `failed`: the policy of the run failed.
   * - `broken`: a record contradicts the records before.
   * - `whole`, `unsealed`, `torn`, `corrupt`: as `LogOutcome` of `@cloister/eventlog`.
   */
  readonly status: 'reading' | 'written' | 'whole' | 'failed' | 'unsealed' | 'torn' | 'corrupt' | 'broken'
  /** Description of the log's fault; null if the log has no fault. */
  readonly message: string | null
  /** The record that contradicts the records before; null if there is no such record. */
  readonly broken: LogRecord | null
  /** Fault records of the log, at most the last 20: requests to the policy at which the policy failed. */
  readonly faults: ReadonlyArray<FaultRecord>
  /** Number of read `down` and `up` records. */
  readonly outageRecords: number
  /** Share of the log file that is read, from 0 to 1. */
  readonly progress: number
  /** True if the run's policy can be asked. */
  readonly canAsk: boolean
}

/** Answer to `growth`: jobs and spans that the page lacks. A span is a time in which a job holds nodes. */
export interface Growth {
  readonly ids: ReadonlyArray<string>
  readonly submits: Float64Array
  readonly sizes: Int32Array
  /** Job number of each span. `starts`, `ends` (NaN while the job runs), `flags` and `rangeCounts` are by span, too. */
  readonly spanJobs: Int32Array
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly flags: Uint8Array
  readonly rangeCounts: Int32Array
  /** First and last node of each range of nodes, span after span. */
  readonly ranges: Int32Array
  /** Index of the first span that may still change. The next question `growth` must begin with this span. */
  readonly settled: number
}

export const spanFlags = { backfilled: 1, killed: 2, failed: 4 } as const

/** Special values in place of the job number of an owner. `unread`: a job whose submit record is not read yet. */
export const noOwner = { free: -1, down: -2, unread: -3 } as const

/** Answer to the question `moment`: the state after the record `seq`. */
export interface Moment {
  /** Name of the state, for the field `since` of the next question `moment`; absent if every moment is sent whole. */
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
    /** Rate of the job's progress, in 1/1000 of the rate without interference. */
    readonly rate: number
  }>
  /** Number of uplinks of leaves that jobs own; 0 if the policy's claim `links` is not `owned`. */
  readonly leafLinks: number
  /** Number of uplinks of L2 and higher switches that jobs own; 0 if the policy's claim `links` is not `owned`. */
  readonly upperLinks: number
  /** The first 200 waiting jobs, in the order in which they came to the queue. */
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
  /** Links that are down only in some rails: level, link, and the rails as an idset. */
  readonly downRails: ReadonlyArray<readonly [level: number, link: number, rails: string]>
  readonly nodeOwners: Int32Array
  /** Owner of each link, level by level. If jobs share links: the used bandwidth of each link in MB/s. */
  readonly linkOwners: Int32Array
}

export interface Why {
  readonly lines: ReadonlyArray<WhyLine>
  /** Number of nodes of the largest job that would fit in the state; null if no policy can be asked. */
  readonly largest: number | null
  /** Source of the reasons: `policy` (asked in the state), `log` (`refuse` records), or `none` (no reason is known). */
  readonly source: 'policy' | 'log' | 'none'
}

export interface WhyLine {
  readonly job: string
  readonly size: number
  readonly place: 'head' | 'window' | 'outside' | 'early'
  readonly why: string
  readonly nearest: string | null
}

export interface JobLife {
  readonly job: string
  readonly number: number
  /** Records of the job, except `refuse` records. Of more than 400 records, only the first 200 and the last 200. */
  readonly records: ReadonlyArray<LogRecord>
  readonly omitted: number
  /** Number of scheduling passes that left the job waiting. */
  readonly passes: number
  /** Number of the job's `refuse` records. */
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
  /** The record as a line of the log. */
  readonly line: string
  /** Cause of the record, cause of the cause, and so on, back to an input; at most 20 records. */
  readonly causes: ReadonlyArray<LogRecord>
  /** State before the record; null if the log has a part of a run and the record lies before the part. */
  readonly before: Counts | null
  readonly after: Counts | null
}

/** Lowest and highest value of each figure of a timeline in columns of equal length; `t`: middles of the columns. */
export type TimelineAnswer = Readonly<Record<`${TimelineFigure}${'Low' | 'High'}` | 't', Float64Array>>

/** Time-weighted mean of each figure of a timeline, in columns of equal length; `t` has the middles of the columns. */
export type TimelineMeansAnswer = Readonly<Record<TimelineFigure | 't', Float64Array>>

/** Figures `busy` and `waiting`: value i holds from `t[i]` to `t[i + 1]`, the last value until `until`, in seconds. */
export interface StepsAnswer {
  readonly until: number
  readonly t: Float64Array
  readonly busy: Int32Array
  readonly waiting: Int32Array
}

/** Group of links: all uplinks of the leaves of a pod, of the L2 switches of a pod, or of one level above the pods. */
export interface LinkGroup {
  readonly level: number
  /** Pod of the links; undefined for links of a level above the pods. */
  readonly pod: number | undefined
  readonly links: number
}

/** Mean used share of each group of links, in units of 1/10000, in columns of equal length, group after group. */
export interface LinkUseAnswer {
  readonly groups: ReadonlyArray<LinkGroup>
  readonly shares: Int32Array
}

/** Parameters of the question `jobs`: a part of the table of jobs. */
export interface JobListQuestion {
  /** Query in the syntax of `parseJobQuery`. */
  readonly query: string
  /** Field by which the rows are sorted; null for submit order. */
  readonly sort: JobField | null
  readonly descending: boolean
  /** Index of the first row in the answer, from 0. */
  readonly from: number
  /** Greatest number of rows in the answer; the answer has at most 500. */
  readonly count: number
  /** Field, such as `wait`, of the histogram over all jobs of the query; null for no histogram. */
  readonly histogram: JobNumber | null
}

/** A row of the table of jobs. A number that the job does not have is null. */
export type JobRow = Readonly<Record<Exclude<JobNumber, 'bandwidth'>, number | null> & Record<JobText, string>>

export interface JobListAnswer {
  /** Message about a wrong query; null for a valid query. */
  readonly error: string | null
  /** Number of all jobs of the run, or of the jobs that waited or ran in the part of a run. */
  readonly jobs: number
  /** Number of jobs that match the query. */
  readonly found: number
  /** Texts in the query, such as `queue`, that no job of the log has. */
  readonly unnamed: ReadonlyArray<JobText>
  readonly rows: ReadonlyArray<JobRow>
  readonly histogram: JobHistogram | null
}

/** Reasons for a job's whole wait. `source`: `policy` (run again), `log` (`refuse` records), `none` (none known). */
export interface WholeWhy {
  readonly explanation: Explanation | null
  readonly source: 'policy' | 'log' | 'none'
  /** First record on which the policy, run again, decides differently than the log; null if there is no such record. */
  readonly differsFrom: number | null
  /** First record whose reasons the policy did not give; null if it gave all reasons, or was not run again. */
  readonly reasonsUntil: number | null
}

/** Parameters of the question `routes`. Null leaves a part of the answer out. */
export interface RoutesQuestion {
  readonly seq: number
  /** Switch whose table is asked for: level, 0 for a leaf, and id on the level. */
  readonly switch: { readonly level: number; readonly sw: number } | null
  readonly job: string | null
  /** Nodes of the asked path. */
  readonly pair: { readonly from: number; readonly to: number } | null
}

/** Forwarding tables and paths after the record `seq`. All parts are empty if the log has no router. */
export interface RoutesAnswer {
  /** Route records of the instant, at most the last 20 up to the moment, and the number of earlier ones. */
  readonly changes: ReadonlyArray<RouteChange>
  readonly furtherChanges: number
  readonly table: SwitchTable | null
  /** Routes of the asked job; null if the job does not run at the moment. */
  readonly job: JobRoutes | null
  readonly path: RoutedPath | null
}

/** A route record, with the numbers of its new entries and of the switches of the entries; 0 for a removal. */
export interface RouteChange {
  readonly seq: number
  readonly job: string | null
  /** Record whose entries, or whose job's entries, leave the tables; null if the record has new entries. */
  readonly undo: number | null
  readonly entries: number
  readonly switches: number
}

/** Forwarding table of a switch: a row for each port with a destination. */
export interface SwitchTable {
  readonly level: number
  readonly sw: number
  readonly rows: ReadonlyArray<{
    readonly port: number
    /** Part of the machine behind the port; null if the switch has no such port. */
    readonly end: PortEnd | null
    /** Number of nodes with this port, and number of the asked job's nodes among these nodes. */
    readonly destinations: number
    readonly ofJob: number
    /** Nodes with this port, as an idset. */
    readonly nodes: string
  }>
}

/** Routes between the nodes of a job, with the links of most destinations first. */
export interface JobRoutes extends JobPaths {
  readonly nodes: number
  /** Entries in the tables from route records of the job, and switches with such an entry. */
  readonly entries: number
  readonly switches: number
  /** Number of links that `links` leaves out. */
  readonly furtherLinks: number
  /** Paths of all pairs of a job of at most four nodes; empty for a larger job. */
  readonly paths: ReadonlyArray<RoutedPath>
}

/** The time from `from` to `to`, in seconds, divided into `points` columns of equal length. */
export interface PointsQuestion {
  readonly from: number
  readonly to: number
  readonly points: number
}

/** A moment of the run: after the record `seq`, or after the last record with a time of at most `t`, in seconds. */
export type At = { readonly seq: number } | { readonly t: number }

/** Parameters (`ask`) and `answer` of each question of the page. */
export interface Questions {
  readonly overview: { readonly ask: Record<string, never>; readonly answer: Overview }
  readonly growth: { readonly ask: { readonly jobs: number; readonly spans: number }; readonly answer: Growth }
  readonly timeline: { readonly ask: PointsQuestion; readonly answer: TimelineAnswer }
  readonly means: { readonly ask: PointsQuestion; readonly answer: TimelineMeansAnswer }
  readonly steps: { readonly ask: Record<string, never>; readonly answer: StepsAnswer }
  readonly linkUse: { readonly ask: PointsQuestion; readonly answer: LinkUseAnswer }
  /** Earliest moment of a figure's highest value between two times; null if the figure was always 0 between them. */
  readonly worst: {
    readonly ask: { readonly figure: TimelineFigure; readonly from: number; readonly to: number }
    readonly answer: { readonly moment: TimelineMoment | null }
  }
  readonly area: { readonly ask: AreaQuestion; readonly answer: AreaAnswer }
  readonly jobs: { readonly ask: JobListQuestion; readonly answer: JobListAnswer }
  readonly explain: { readonly ask: { readonly job: string }; readonly answer: WholeWhy }
  /**
   * State after the last record with a time of at most `t`, or after the record `seq`. If the server stores the state
   * with the name `since`, the server sends only the differences to that state.
   */
  readonly moment: { readonly ask: At & { readonly since?: string }; readonly answer: Moment }
  /** The next or previous record from the record `seq`, or the next or previous last record of a scheduling pass. */
  readonly step: {
    readonly ask: { readonly seq: number; readonly by: 'record' | 'pass'; readonly direction: 1 | -1 }
    readonly answer: { readonly seq: number }
  }
  readonly why: { readonly ask: { readonly seq: number }; readonly answer: Why }
  /** Number of nodes of the largest job that would fit at a moment; null if no policy can be asked. */
  readonly largest: { readonly ask: At; readonly answer: { readonly nodes: number | null } }
  /** Number of further jobs of each size that would fit at a moment; null if no policy can be asked. */
  readonly fits: { readonly ask: At; readonly answer: { readonly fits: FittingSizes | null } }
  /**
   * Running jobs whose single end or move would let the head of the queue start; null if no job waits, or if no policy
   * can be asked.
   */
  readonly relief: { readonly ask: { readonly seq: number }; readonly answer: { readonly relief: Relief | null } }
  /** Cause of fragmented nodes at a moment; null if no node is fragmented, or if no policy can be asked. */
  readonly fragmented: { readonly ask: At; readonly answer: { readonly fragmented: FragmentedNodes | null } }
  readonly outages: { readonly ask: Record<string, never>; readonly answer: Outages }
  readonly job: { readonly ask: { readonly job: string }; readonly answer: JobLife | null }
  readonly record: { readonly ask: { readonly seq: number }; readonly answer: RecordView }
  /** Forwarding tables and paths at a moment. */
  readonly routes: { readonly ask: RoutesQuestion; readonly answer: RoutesAnswer }
  readonly metrics: { readonly ask: Record<string, never>; readonly answer: Metrics }
  /** The queries that the page can ask. */
  readonly queries: {
    readonly ask: Record<string, never>
    readonly answer: { readonly queries: ReadonlyArray<OfferedQuery> }
  }
  /** The first rows of a named query. */
  readonly query: { readonly ask: { readonly name: string }; readonly answer: QueryAnswer }
  /** The tables that the page can save. */
  readonly tables: {
    readonly ask: Record<string, never>
    readonly answer: { readonly tables: ReadonlyArray<OfferedTable> }
  }
  /** A table of the records up to now, as the bytes of a file. */
  readonly table: {
    readonly ask: { readonly name: TableName; readonly format: TableFormat }
    readonly answer: { readonly file: Uint8Array }
  }
}
export type QuestionName = keyof Questions

/** Names of the questions that the policy answers if it can be asked. An answer may take seconds. */
const policyQuestionNames = ['why', 'largest', 'fits', 'relief', 'fragmented'] as const
export type PolicyQuestionName = (typeof policyQuestionNames)[number]

export function isPolicyQuestion(name: QuestionName): name is PolicyQuestionName {
  return policyQuestionNames.some((each) => each === name)
}

/** Answers the page's questions about a run: through the server, or from the log in an exported page. */
export interface Answerer {
  /** Answers a question about the run. If `signal` is aborted, the promise may reject. */
  ask<Name extends QuestionName>(
    name: Name,
    question: Questions[Name]['ask'],
    signal?: AbortSignal,
  ): Promise<Questions[Name]['answer']>
  /** Returns an answerer for one generation of the log; `overview` stays about the latest. Absent in exported pages. */
  of?(generation: number): Answerer
}

/** Letters of the runs that are shown together, in the order of the command line. */
export const sides = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const
export type Side = (typeof sides)[number]
