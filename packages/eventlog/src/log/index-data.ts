import type { LogOutcome } from './reader.ts'
import type { Header, LogRecord, Submit } from '../records/types.ts'

/** A state by reference: jobs by their number in submit order, other records by their seq. */
export interface IndexedSnapshot {
  readonly seq: number
  readonly t: number
  readonly ended: boolean
  /** How many jobs waited. */
  readonly waiting: number
  /** Triples: number of the job, seq of its allocate, seq of what ended it or 0. */
  readonly running: ReadonlyArray<number>
  /** Seqs of the records that say at which rate running jobs run. */
  readonly progress: ReadonlyArray<number>
  readonly reservations: ReadonlyArray<number>
  readonly routes: ReadonlyArray<number>
  readonly killed: ReadonlyArray<number>
  /** Idsets: nodes, then the links of each level. */
  readonly down: ReadonlyArray<string>
}

/** What is worth to be written to a file: derived from a log, and of no use without it. */
export interface IndexData {
  readonly format: 'cloister-log-index'
  readonly version: 2
  readonly header: Header
  readonly outcome: LogOutcome
  /** Of every segment of the log, which ends with a seal or is what follows the last one: byte after it, time of its last record, hash of its seal. */
  readonly ends: ReadonlyArray<number>
  readonly times: ReadonlyArray<number>
  readonly hashes: ReadonlyArray<string>
  /** Seqs of the seals. */
  readonly seals: ReadonlyArray<number>
  readonly submits: ReadonlyArray<Submit>
  /** Of every job, the seq of the record with which it first left the queue; 0 where it never did. */
  readonly left: ReadonlyArray<number>
  /** Later stays in the queue, by time: number of the job, seq of its requeue, seq of the record with which it left again or 0. */
  readonly returns: ReadonlyArray<number>
  /** Records that snapshots refer to. */
  readonly kept: ReadonlyArray<LogRecord>
  readonly snapshots: ReadonlyArray<IndexedSnapshot>
}
