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

/** The questions of the page about a run, and their answers. Times in seconds; `number` is a job's place in submit order. */

/** How far a log is read, and in what state it is. */
export interface Overview {
  readonly header: Header
  /** Changes when the file is replaced: all earlier answers are then void. */
  readonly generation: number
  /** Read so far. */
  readonly records: number
  readonly jobs: number
  readonly spans: number
  /** First record whose state the run had: 0, or the last record before the part of a run. */
  readonly first: number
  /** Records whose state can be asked for: all of them at once where the log has its index. */
  readonly seekable: number
  /** Time of the last of them. */
  readonly seekableTime: number
  readonly lastTime: number
  /** reading: the rest follows at once. written: the run still goes on. failed: its policy did. broken: a record contradicts those before it. */
  readonly status: 'reading' | 'written' | 'whole' | 'failed' | 'unsealed' | 'torn' | 'corrupt' | 'broken'
  /** What is wrong with the log, or null. */
  readonly message: string | null
  /** The record that contradicts those before it. */
  readonly broken: LogRecord | null
  /** Records of nodes that failed or were repaired. */
  readonly outageRecords: number
  /** Share of the file that was read. */
  readonly progress: number
  /** Whether the policy can be asked why jobs wait. */
  readonly canAsk: boolean
}

/** Jobs and spans from some numbers on. A span is one stay of a job on its nodes. */
export interface Growth {
  readonly ids: ReadonlyArray<string>
  readonly submits: Float64Array
  readonly sizes: Int32Array
  /** Of each span: its job, when it starts and ends (NaN while it runs), flags, and how many ranges of nodes it has. */
  readonly spanJobs: Int32Array
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly flags: Uint8Array
  readonly rangeCounts: Int32Array
  /** First and last node of each range. */
  readonly ranges: Int32Array
  /** The first span that may still change, from which the next question starts. */
  readonly settled: number
}

export const spanFlags = { backfilled: 1, killed: 2, failed: 4 } as const

/** Nodes and links by their owner: number of a job, or one of these; unread: a job that is not read yet, of a log that has its index. */
export const noOwner = { free: -1, down: -2, unread: -3 } as const

/** The state after a record. */
export interface Moment {
  /** By which the page names what it has; absent where it always gets all of it. */
  readonly state?: string
  readonly seq: number
  readonly t: number
  readonly free: number
  readonly down: number
  readonly waiting: number
  /** Nodes that the smallest waiting job asks for; null where none waits. */
  readonly smallest: number | null
  readonly running: ReadonlyArray<{
    readonly job: string
    readonly number: number
    readonly size: number
    readonly start: number
    readonly expectedEnd: number | null
    readonly nodes: string
    /** In 1/1000 of the rate at which it runs by itself. */
    readonly rate: number
  }>
  /** Links that jobs own: those of leaves, and all above; 0 where links are not owned. */
  readonly leafLinks: number
  readonly upperLinks: number
  /** The first of the queue, in submit order. */
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
  /** Of all links, level by level. Where links are shared: MB/s in use. */
  readonly linkOwners: Int32Array
}

export interface Why {
  readonly lines: ReadonlyArray<WhyLine>
  /** Nodes of the largest job that would fit now; null where no policy is at hand. */
  readonly largest: number | null
  /** policy: its answer in this state. log: from refuse records. none: unknown. */
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
  /** Its records but for refusals; only the first and last where there are very many. */
  readonly records: ReadonlyArray<LogRecord>
  readonly omitted: number
  /** Number of its refuse records. */
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
  /** Its cause, the cause of that, and so on, back to an input. */
  readonly causes: ReadonlyArray<LogRecord>
  /** Null if the record is before the part of a run that the log is: its states are none of the run. */
  readonly before: Counts | null
  readonly after: Counts | null
}

/** The lowest and highest values of the figures of a timeline in spans of equal length, and the spans' middles. */
export type TimelineAnswer = Readonly<Record<`${TimelineFigure}${'Low' | 'High'}` | 't', Float64Array>>

/** The time-weighted means of the figures of a timeline in spans of equal length, and the spans' middles. */
export type TimelineMeansAnswer = Readonly<Record<TimelineFigure | 't', Float64Array>>

/** Every value that two figures had: from each instant on until the next, the last until `until`; seconds. */
export interface StepsAnswer {
  readonly until: number
  readonly t: Float64Array
  readonly busy: Int32Array
  readonly waiting: Int32Array
}

/** How links were used: the mean share of each group in spans of equal length, in 1/10000, group after group. */
export interface LinkUseAnswer {
  readonly groups: ReadonlyArray<LinkGroup>
  readonly shares: Int32Array
}

/** Which part of the table of jobs. */
export interface JobListQuestion {
  /** As `parseJobQuery` reads it. */
  readonly query: string
  /** null: in submit order. */
  readonly sort: JobField | null
  readonly descending: boolean
  /** The first row, and how many. */
  readonly from: number
  readonly count: number
  /** Counted of all that the query means; null: nothing. */
  readonly histogram: JobNumber | null
}

/** A row of the table of jobs; null for numbers that a job does not have. */
export type JobRow = Readonly<Record<Exclude<JobNumber, 'bandwidth'>, number | null> & Record<JobText, string>>

export interface JobListAnswer {
  /** What is wrong with the query, or null. */
  readonly error: string | null
  /** In all, and of them those that the query means. */
  readonly jobs: number
  readonly found: number
  readonly rows: ReadonlyArray<JobRow>
  readonly histogram: JobHistogram | null
}

/** Why a job waited, and whether the reasons are known: `policy`, asked again; `log`, from its refusals; `none`. */
export interface WholeWhy {
  readonly explanation: Explanation | null
  readonly source: 'policy' | 'log' | 'none'
  /** The first record that the policy decides otherwise than in the log; null if there is none. */
  readonly differsFrom: number | null
  /** The record from which on no reasons are known; null if the source knows all of them. */
  readonly reasonsUntil: number | null
}

/** Where the node-time of an area went, node-seconds. */
export interface AreaAnswer {
  readonly total: number
  readonly causes: AreaCauses
  /** How many jobs ran in it, and those that held most. */
  readonly allJobs: number
  readonly jobs: ReadonlyArray<{ readonly job: string; readonly size: number; readonly held: number }>
  readonly bySize: ReadonlyArray<AreaGroup>
  /** Of the jobs whose user the log does not tell, the name is empty. */
  readonly byUser: ReadonlyArray<AreaGroup>
}

/** Each question: its parameters (`ask`) and its `answer`. */
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
  /** When a figure was highest within a time; null where it was 0 throughout. */
  readonly worst: {
    readonly ask: { readonly figure: TimelineFigure; readonly from: number; readonly to: number }
    readonly answer: { readonly moment: TimelineMoment | null }
  }
  readonly area: { readonly ask: AreaQuestion; readonly answer: AreaAnswer }
  readonly jobs: { readonly ask: JobListQuestion; readonly answer: JobListAnswer }
  readonly explain: { readonly ask: { readonly job: string }; readonly answer: WholeWhy }
  /** After the last record that is not later than `t`, or after record `seq`; what differs from the one named `since` where that is known still, '' where there is none yet. */
  readonly moment: {
    readonly ask: ({ readonly seq: number } | { readonly t: number }) & { readonly since?: string }
    readonly answer: Moment
  }
  /** The seq of the record after which the next step, or the one before, ends. */
  readonly step: {
    readonly ask: { readonly seq: number; readonly by: 'record' | 'pass'; readonly direction: 1 | -1 }
    readonly answer: { readonly seq: number }
  }
  readonly why: { readonly ask: { readonly seq: number }; readonly answer: Why }
  /** The largest job that would fit at a moment. */
  readonly largest: {
    readonly ask: { readonly seq: number } | { readonly t: number }
    readonly answer: { readonly nodes: number | null }
  }
  /** How many jobs of each size would still fit at a moment; null where no policy is at hand. */
  readonly room: {
    readonly ask: { readonly seq: number } | { readonly t: number }
    readonly answer: { readonly room: Room | null }
  }
  /** Which single change would let the first waiting job start; null where none waits, or no policy is at hand. */
  readonly relief: { readonly ask: { readonly seq: number }; readonly answer: { readonly relief: Relief | null } }
  /** Why nodes are idle at a moment although a waiting job asks for no more; null where none does, or no policy is at hand. */
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

/** The questions that the policy answers: each takes it a while. */
export const policyQuestionNames = ['why', 'largest', 'room', 'relief', 'unplaced'] as const
export type PolicyQuestionName = (typeof policyQuestionNames)[number]

export function isPolicyQuestion(name: QuestionName): name is PolicyQuestionName {
  return policyQuestionNames.some((each) => each === name)
}

/** Answers questions: the server, or the page itself where it holds the log. */
export interface Answerer {
  /** @param signal aborted once nobody waits for the answer any more */
  ask<Name extends QuestionName>(
    name: Name,
    question: Questions[Name]['ask'],
    signal?: AbortSignal,
  ): Promise<Questions[Name]['answer']>
  /** Answers about the run of a generation alone, but for its overview; absent where no other run takes its place. */
  of?(generation: number): Answerer
}
