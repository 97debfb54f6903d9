import type { LogOutcome } from './reader.ts'
import type { Header, LogRecord, Submit } from '../records/types.ts'

/** State by reference: jobs by number in submit order, other records by seq. */
export interface IndexedSnapshot {
  readonly seq: number
  readonly t: number
  readonly ended: boolean
  /** Number of waiting jobs. */
  readonly waiting: number
  /**
   * Triples: number of the job, seq of the allocate, seq of the record that ended the job or withdrew the start, or 0.
   */
  readonly running: ReadonlyArray<number>
  /** Seqs of the last progress records of running jobs. */
  readonly progress: ReadonlyArray<number>
  readonly reservations: ReadonlyArray<number>
  readonly routes: ReadonlyArray<number>
  readonly killed: ReadonlyArray<number>
  /** Idsets of failed nodes, then of failed links of each level. */
  readonly down: ReadonlyArray<string>
}

/** Content of an index file, derived from a log and useless without the log. */
export interface IndexData {
  readonly format: 'cloister-log-index'
  readonly version: 2
  readonly header: Header
  readonly outcome: LogOutcome
  /**
   * For every segment of the log: the byte after the segment, the time of the last record, the hash of the seal. A
   * segment ends with a seal; records after the last seal are a segment without a hash.
   */
  readonly ends: ReadonlyArray<number>
  readonly times: ReadonlyArray<number>
  readonly hashes: ReadonlyArray<string>
  /** Seqs of the seals. */
  readonly seals: ReadonlyArray<number>
  readonly submits: ReadonlyArray<Submit>
  /** For every job, the seq of the record with which the job first left the queue; 0 if the job never left. */
  readonly left: ReadonlyArray<number>
  /**
   * Later stays in the queue, by time: number of the job, seq of the requeue, seq of the record with which the job left
   * again, or 0.
   */
  readonly returns: ReadonlyArray<number>
  /** Records to which snapshots refer. */
  readonly snapshotRecords: ReadonlyArray<LogRecord>
  readonly snapshots: ReadonlyArray<IndexedSnapshot>
}
