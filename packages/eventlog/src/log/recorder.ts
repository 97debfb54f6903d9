/**
 * What a simulation says of itself, one method a record type, in log order. Every method returns the record's seq.
 * Times are integer milliseconds, ids ascend. A recorder may keep the arrays it is given: the caller never writes to
 * them again. `LogWriter` turns these calls into the bytes of a log; `countingRecorder` only counts.
 */
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

/** Takes the events of a run in order and numbers them: each method returns the `seq` of its record. Times (`t`) are integer milliseconds, causes the `seq` of other records. */
export interface Recorder {
  submit(t: number, job: SubmittedJob): number
  cancel(t: number, job: string): number
  finish(t: number, job: string, cause: number, failed: boolean): number
  down(t: number, parts: Resources): number
  up(t: number, parts: Resources): number
  /** `start` in milliseconds. */
  reserve(t: number, job: string, start: number, grant: Grant, cause: number): number
  unreserve(t: number, job: string, reserveSeq: number, cause: number): number
  /**
   * `backfill`: seq of the reservation it was started beside, or -1. `estimate`: the one on these parts, in milliseconds, where
   * it is another than that of the submit.
   */
  allocate(t: number, job: string, grant: Grant, backfill: number, cause: number, estimate?: number): number
  release(t: number, job: string, cause: number): number
  route(
    t: number,
    job: string,
    op: 'add' | 'remove',
    scheme: string,
    entries: number,
    digest: string,
    cause: number,
  ): number
  kill(t: number, job: string, code: Kill['code'], cause: number): number
  requeue(t: number, job: string, cause: number): number
  reject(t: number, job: string, code: string, constraint: string, cause: number): number
  refuse(t: number, job: string, code: string, constraint: string, nearest: Json | undefined, cause: number): number
  end(t: number, totals: Totals): number
}
