import type { LogOutcome } from './reader.ts'
import type { Header, LogRecord, Submit } from '../records/types.ts'

/** Snapshot of a `LogState`: names jobs by their numbers in submit order (from 0), other records by their seqs. */
export interface IndexedSnapshot {
  readonly seq: number
  readonly t: number
  readonly ended: boolean
  /** Number of waiting jobs. */
  readonly waiting: number
  /**
   * Three numbers for each running job: number of the job in submit order; seq of the allocate; seq of the record that
   * ended the job or withdrew the start, or 0 if the log has no such record yet.
   */
  readonly running: ReadonlyArray<number>
  /** Seqs of the last progress records of running jobs. */
  readonly progress: ReadonlyArray<number>
  readonly reservations: ReadonlyArray<number>
  readonly routes: ReadonlyArray<number>
  readonly killed: ReadonlyArray<number>
  /** Idset of the failed nodes, then an idset of the failed links for each level. */
  readonly down: ReadonlyArray<string>
}

/** Content of an index file, derived from a log and useless without the log. */
export interface IndexData {
  readonly format: 'cloister-log-index'
  readonly version: 2
  readonly header: Header
  readonly outcome: LogOutcome
  /**
   * Byte of the uncompressed log after each segment of the log. A segment ends with a seal; the records after the last
   * seal are one more segment. `times`: time of the last record of each segment, in seconds. `hashes`: hash of each
   * seal.
   */
  readonly ends: ReadonlyArray<number>
  readonly times: ReadonlyArray<number>
  readonly hashes: ReadonlyArray<string>
  /** Seqs of the seals, ascending. */
  readonly seals: ReadonlyArray<number>
  readonly submits: ReadonlyArray<Submit>
  /** For each job, in submit order: seq of the record with which it first left the queue; 0 if it never left. */
  readonly left: ReadonlyArray<number>
  /**
   * Three numbers for each requeue, in the order of the requeues: number of the job; seq of the requeue; seq of the
   * record with which the job left the queue again, or 0 if the job did not leave.
   */
  readonly returns: ReadonlyArray<number>
  /** Records to which `snapshots` refer by seq. */
  readonly snapshotRecords: ReadonlyArray<LogRecord>
  readonly snapshots: ReadonlyArray<IndexedSnapshot>
}
