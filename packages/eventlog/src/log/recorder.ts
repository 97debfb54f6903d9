/**
 * Interface for the events of a simulation, in log order, with one method a record type. Every method returns the seq
 * of the record. Times are integer milliseconds, and ids ascend. A recorder may keep the arrays of its arguments: the
 * caller never changes the arrays later. `LogWriter` turns the calls into the bytes of a log; `countingRecorder` only
 * counts.
 */
import type { RecordOfType } from '../records/schema.ts'
import type { RecordTable } from '../records/table.ts'
import type { Json, Kill } from '../records/types.ts'

/** Nodes, and links by level (`links[0]`: leaf up-ports). Missing levels hold no link. */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** Allocation or reservation of a job. `bandwidth` is the MB/s on each of `links`, if links are capped. */
export interface Grant extends Resources {
  readonly ranks?: ArrayLike<number>
  readonly bandwidth?: number
  readonly note?: Json
}

/** Job as a recorder takes the job. Times are integer milliseconds, sizes nodes, bandwidth MB/s. */
export interface SubmittedJob {
  readonly id: string
  readonly size: number
  /** Run time that the scheduler believes, in milliseconds. */
  readonly estimate: number | undefined
  /** Run time that the user asked for, in milliseconds, if different from the estimate. */
  readonly walltime?: number
  readonly name?: string
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly bandwidth?: number
  readonly communication?: { readonly pattern: string; readonly share: number }
}

/** Totals of an end record, in jobs. `started` counts starts; a requeued job has several. */
export interface Totals {
  readonly submitted: number
  readonly started: number
  readonly finished: number
  readonly rejected: number
  readonly killed: number
  readonly cancelled: number
}

/** Fields of each type of record that the parameters of the method give, without `more`. */
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

/** Type of record with a method of its own. */
export type RecordedType = keyof typeof parameterFields

/**
 * Further fields of a record, as in the record (times in seconds): `happened`, `code` and `limit` of a fault, and any
 * field added to the table later.
 */
export type More<Type extends RecordedType> = Partial<
  Omit<RecordOfType<Type>, 'seq' | 't' | 'type' | (typeof parameterFields)[Type][number]>
>

/**
 * Takes the events of a run in order and numbers them: each method returns the `seq` of its record. Times (`t`) are
 * integer milliseconds, and causes are the `seq` of earlier records. `more` gives further fields; `more` is slow, for
 * rare use only.
 */
export interface Recorder {
  submit(t: number, job: SubmittedJob, more?: More<'submit'>): number
  cancel(t: number, job: string, more?: More<'cancel'>): number
  finish(t: number, job: string, cause: number, failed: boolean, more?: More<'finish'>): number
  down(t: number, resources: Resources, more?: More<'down'>): number
  up(t: number, resources: Resources, more?: More<'up'>): number
  /** Records a reservation; `start` is in milliseconds. */
  reserve(t: number, job: string, start: number, grant: Grant, cause: number, more?: More<'reserve'>): number
  unreserve(t: number, job: string, reserveSeq: number, cause: number, more?: More<'unreserve'>): number
  /**
   * Records a start.
   *
   * @param backfill seq of the reservation that the job was started ahead of, or -1
   * @param estimate estimate for this allocation in milliseconds, if different from the estimate of the submit
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
  /** Records the rate of a running job, in 1/1000 of the rate at which the job runs by itself. */
  progress(t: number, job: string, rate: number, cause: number, more?: More<'progress'>): number
  /** Records that the policy failed at a request. A fault stands for no decision. A seal follows in a log. */
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
