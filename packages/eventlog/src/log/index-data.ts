import type { LogOutcome } from './reader.ts'
import type { Header, LogRecord, Submit } from '../records/types.ts'
import { MAX_SEGMENT } from '../limits.ts'
import { decodeRecord, encodeRecord } from '../records/lines.ts'

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
  /** Rails with a failed cable of each link that is down only in some rails, one map a level. */
  readonly downRails: ReadonlyArray<ReadonlyMap<number, ReadonlyArray<number>>>
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

/**
 * Returns true if the lists of an index fit together, so that every lookup in the index ends. `isSound` does not
 * compare the index with the log: `LogSeeker` compares the bytes of the log with the hashes in the index, and states
 * with the digests in the seals.
 *
 * @throws Error of any kind if a member of the index has a wrong type
 */
export function isSound(data: IndexData): boolean {
  const { header, outcome, ends, times, hashes, seals, submits, left, returns, snapshotRecords, snapshots } = data
  const { records } = outcome
  const isSeq = (seq: unknown): boolean => isNatural(seq) && (seq as number) < records
  const hasTail = ends.length === seals.length + 1
  const numbers = [...left, ...returns].every(isNatural)
  return (
    decodeRecord(encodeRecord(header)).type === 'header' &&
    ['whole', 'unsealed', 'torn'].includes(outcome.status) &&
    isNatural(records) &&
    outcome.bytes === ends.at(-1) &&
    (hasTail || (ends.length === seals.length && records === seals.at(-1)! + 1)) &&
    hashes.length === seals.length &&
    times.length === ends.length &&
    ascends([0, ...ends]) &&
    ends.every((end, at) => end - (ends[at - 1] ?? 0) <= MAX_SEGMENT) &&
    times.every((t, at) => t >= (times[at - 1] ?? 0)) &&
    ascends(seals) &&
    seals.every(isSeq) &&
    ascends(submits.map(({ seq }) => seq)) &&
    submits.every((submit) => isSeq(submit.seq) && submit.type === 'submit') &&
    numbers &&
    left.length === submits.length &&
    left.every((seq) => seq < records) &&
    returns.length % 3 === 0 &&
    returns.every((value, at) => value < (at % 3 === 0 ? submits.length : records)) &&
    ascends(returns.filter((_, at) => at % 3 === 1)) &&
    snapshotRecords.every(({ seq }) => isSeq(seq)) &&
    ascends(snapshots.map(({ seq }) => seq)) &&
    haveTheirParts(data)
  )
}

/** Returns true if each snapshot belongs to a seal and names only records of `snapshotRecords`, jobs of `submits`. */
function haveTheirParts({ seals, submits, snapshotRecords, snapshots }: IndexData): boolean {
  const types = new Map(snapshotRecords.map(({ seq, type }) => [seq, type]))
  const isSeal = new Set(seals)
  const areOfType = (seqs: ReadonlyArray<number>, type: string): boolean => seqs.every((seq) => types.get(seq) === type)
  const isJob = (number: number): boolean => submits[number] !== undefined
  const isRunning = ({ running }: IndexedSnapshot): boolean =>
    running.length % 3 === 0 &&
    running.every((value, at) => {
      if (at % 3 === 0) return isJob(value)
      return at % 3 === 1 ? types.get(value) === 'allocate' : value === 0 || types.has(value)
    })
  return snapshots.every(
    (snapshot) =>
      isSeal.has(snapshot.seq) &&
      isRunning(snapshot) &&
      areOfType(snapshot.progress, 'progress') &&
      areOfType(snapshot.reservations, 'reserve') &&
      areOfType(snapshot.routes, 'route') &&
      snapshot.killed.every(isJob) &&
      snapshot.down.every((ids) => typeof ids === 'string'),
  )
}

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function ascends(values: ReadonlyArray<number>): boolean {
  return values.every((value, at) => isNatural(value) && (at === 0 || value > values[at - 1]))
}
