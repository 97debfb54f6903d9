/**
 * What a simulation says of itself, one method a record type, in log order. Every method returns the record's seq.
 * Times are integer milliseconds, ids ascend. A recorder may keep the arrays it is given: the caller never writes to
 * them again. `LogWriter` turns these calls into the bytes of a log; `countingRecorder` only counts.
 */
import type { RecordOfType } from '../records/schema.ts'
import type { RecordTable } from '../records/table.ts'
import type { Json, Kill } from '../records/types.ts'

/** Nodes and, per level, links (`links[0]` leaf up-ports); missing levels hold none. */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** What a job is given. `bandwidth` in MB/s on each of `links`, where links are capped. */
export interface Grant extends Resources {
  readonly ranks?: ArrayLike<number>
  readonly bandwidth?: number
  readonly note?: Json
}

/** A job as a recorder takes it. Times are integer milliseconds, sizes nodes, bandwidth MB/s. */
export interface SubmittedJob {
  readonly id: string
  readonly size: number
  /** What the scheduler believes of its run time, milliseconds. */
  readonly estimate: number | undefined
  /** What its user asked for, milliseconds, where that is another time. */
  readonly walltime?: number
  readonly name?: string
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly bandwidth?: number
  readonly communication?: { readonly pattern: string; readonly share: number }
}

/** The counts of an end record, in jobs; `started` counts starts, of which a requeued job has several. */
export interface Totals {
  readonly submitted: number
  readonly started: number
  readonly finished: number
  readonly rejected: number
  readonly killed: number
  readonly cancelled: number
}

/** Fields of each type of record that the parameters of its method give, without `more`. */
export const parameterFields = {
  submit: ['job', 'size', 'estimate', 'walltime', 'name', 'user', 'account', 'queue', 'bandwidth', 'communication'],
  cancel: ['job'],
  finish: ['job', 'cause', 'status'],
  down: ['nodes', 'links'],
  up: ['nodes', 'links'],
  reserve: ['job', 'start', 'nodes', 'links', 'bandwidth', 'cause'],
  unreserve: ['job', 'for', 'cause'],
  allocate: ['job', 'nodes', 'links', 'ranks', 'bandwidth', 'estimate', 'backfill', 'note', 'cause'],
  release: ['job', 'cause'],
  route: ['job', 'op', 'scheme', 'entries', 'digest', 'cause'],
  kill: ['job', 'code', 'cause'],
  requeue: ['job', 'cause'],
  reject: ['job', 'code', 'constraint', 'cause'],
  refuse: ['job', 'code', 'constraint', 'nearest', 'cause'],
  progress: ['job', 'rate', 'cause'],
  fault: ['job', 'purpose', 'request', 'message', 'cause'],
} as const satisfies { readonly [Type in keyof RecordTable]?: ReadonlyArray<keyof RecordTable[Type]> }

/** A type of record that has a method. */
export type RecordedType = keyof typeof parameterFields

/** What a record says besides, as the record has it: times in seconds. `happened`, and whatever was added to the table since. */
export type More<Type extends RecordedType> = Partial<
  Omit<RecordOfType<Type>, 'seq' | 't' | 'type' | (typeof parameterFields)[Type][number]>
>

/**
 * Takes the events of a run in order and numbers them: each method returns the `seq` of its record. Times (`t`) are integer
 * milliseconds, causes the `seq` of other records. `more` has further fields of the record; it is slow, for what is rare.
 */
export interface Recorder {
  submit(t: number, job: SubmittedJob, more?: More<'submit'>): number
  cancel(t: number, job: string, more?: More<'cancel'>): number
  finish(t: number, job: string, cause: number, failed: boolean, more?: More<'finish'>): number
  down(t: number, resources: Resources, more?: More<'down'>): number
  up(t: number, resources: Resources, more?: More<'up'>): number
  /** `start` in milliseconds. */
  reserve(t: number, job: string, start: number, grant: Grant, cause: number, more?: More<'reserve'>): number
  unreserve(t: number, job: string, reserveSeq: number, cause: number, more?: More<'unreserve'>): number
  /**
   * `backfill`: seq of the reservation that it was started ahead of, or -1. `estimate`: the one on these resources, in milliseconds, where
   * it is another than that of the submit.
   */
  allocate(
    t: number,
    job: string,
    grant: Grant,
    backfill: number,
    cause: number,
    estimate?: number,
    more?: More<'allocate'>,
  ): number
  release(t: number, job: string, cause: number, more?: More<'release'>): number
  route(
    t: number,
    job: string,
    op: 'add' | 'remove',
    scheme: string,
    entries: number,
    digest: string,
    cause: number,
    more?: More<'route'>,
  ): number
  kill(t: number, job: string, code: Kill['code'], cause: number, more?: More<'kill'>): number
  requeue(t: number, job: string, cause: number, more?: More<'requeue'>): number
  reject(t: number, job: string, code: string, constraint: string, cause: number, more?: More<'reject'>): number
  refuse(
    t: number,
    job: string,
    code: string,
    constraint: string,
    nearest: Json | undefined,
    cause: number,
    more?: More<'refuse'>,
  ): number
  /** `rate`: in 1/1000 of that at which the job runs by itself. */
  progress(t: number, job: string, rate: number, cause: number, more?: More<'progress'>): number
  /** The policy failed when it was asked: nothing that it decided. A log is sealed with it. */
  fault(
    t: number,
    job: string,
    purpose: string,
    request: Json,
    message: string,
    cause: number,
    more?: More<'fault'>,
  ): number
  end(t: number, totals: Totals): number
}
