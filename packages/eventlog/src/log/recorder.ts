/**
 * Interface for the events of a simulation, in log order, with a method for each type of record that a simulation
 * writes. Times are integer milliseconds, and lists of ids ascend. The caller of a recorder's method never changes the
 * given arrays later, so a recorder may keep the arrays. `LogWriter` turns the calls into the bytes of a log;
 * `countingRecorder` only numbers the records.
 */
import type { RecordOfType } from '../records/schema.ts'
import type { RecordTable } from '../records/table.ts'
import type { Json, Kill } from '../records/types.ts'

/** Ids of nodes, and ids of links by level (`links[0]`: leaf up-ports). Levels beyond the end of `links` are empty. */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/**
 * Nodes and links of an allocation or a reservation. `ranks` has the node of each rank, `bandwidth` the MB/s of the job
 * on each of `links` if the policy claims `capped`, and `note` the policy's note on the placement.
 */
export interface RecordedAllocation extends Resources {
  readonly ranks?: ArrayLike<number>
  readonly bandwidth?: number
  readonly note?: Json
}

/** Submitted job, for `Recorder.submit`. Times are integer milliseconds, `size` is in nodes, `bandwidth` in MB/s. */
export interface SubmittedJob {
  readonly id: string
  readonly size: number
  /** Run time that the scheduler believes, in milliseconds; undefined if the scheduler has no estimate. */
  readonly estimate: number | undefined
  /** Run time that the user asked for, in milliseconds; absent if unknown or equal to the estimate. */
  readonly walltime?: number
  readonly name?: string
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly bandwidth?: number
  readonly communication?: { readonly pattern: string; readonly share: number }
  /** True if the job uses only a part of its nodes, and gets whole nodes. */
  readonly smallerThanNode?: true
}

/**
 * Totals of an end record. `started`, `finished` and `killed` count records, and a requeued job may have several; the
 * other totals count jobs.
 */
export interface Totals {
  readonly submitted: number
  readonly started: number
  readonly finished: number
  readonly rejected: number
  readonly killed: number
  readonly cancelled: number
}

/** For each type of record: fields given by the parameters of the recorder's method, without the parameter `more`. */
export const parameterFields = {
  submit: [
    'job',
    'size',
    'estimate',
    'walltime',
    'name',
    'user',
    'account',
    'queue',
    'bandwidth',
    'communication',
    'smaller_than_node',
  ],
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

/** Type of record for which `Recorder` has a method. */
export type RecordedType = keyof typeof parameterFields

/**
 * Fields of a record that no parameter of the recorder's method gives, in the form of the record, with times in
 * seconds, such as `happened`, `code` and `limit` of a fault, and any field that a later revision adds.
 */
export type More<Type extends RecordedType> = Partial<
  Omit<RecordOfType<Type>, 'seq' | 't' | 'type' | (typeof parameterFields)[Type][number]>
>

/**
 * Takes the events of a run in order and numbers the records: each method returns the `seq` of its record. Times (`t`)
 * are integer milliseconds, and a `cause` is the `seq` of an earlier record. `more` gives further fields of the record;
 * a call with `more` is slow.
 */
export interface Recorder {
  submit(t: number, job: SubmittedJob, more?: More<'submit'>): number
  cancel(t: number, job: string, more?: More<'cancel'>): number
  finish(t: number, job: string, cause: number, failed: boolean, more?: More<'finish'>): number
  down(t: number, resources: Resources, more?: More<'down'>): number
  up(t: number, resources: Resources, more?: More<'up'>): number
  /** Records a reservation; `start` is the planned start of the job, in milliseconds. */
  reserve(
    t: number,
    job: string,
    start: number,
    allocation: RecordedAllocation,
    cause: number,
    more?: More<'reserve'>,
  ): number
  unreserve(t: number, job: string, reserveSeq: number, cause: number, more?: More<'unreserve'>): number
  /**
   * Records a start.
   *
   * @param backfill seq of the reserve record that the job was started ahead of; -1 if there is none
   * @param estimate estimate for this allocation in milliseconds; absent if equal to the estimate of the submit
   */
  allocate(
    t: number,
    job: string,
    allocation: RecordedAllocation,
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
  /** Records the new rate of a running job, in 1/1000 of the rate at which the job runs alone. */
  progress(t: number, job: string, rate: number, cause: number, more?: More<'progress'>): number
  /** Records that the policy failed at a request. A fault is no decision. In a log, a seal follows each fault. */
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
