import { formatIdset, lowerBound, parseIdset } from '@cloister/topology'
import { encodeRecord } from '../records/lines.ts'
import { LogState } from './fold.ts'
import { type IndexData, type IndexedSnapshot, isSound } from './index-data.ts'
import { JobNumbers } from './ids.ts'
import type { LogOutcome } from './reader.ts'
import type { QueueBefore } from './waiting-queue.ts'
import type { Header, LogRecord, Submit } from '../records/types.ts'

/** Least number of seal segments (of 256 records by default) from a snapshot to the next snapshot of an index. */
const SNAPSHOT_EVERY = 8
/** Most entries of a snapshot, for each record since the previous snapshot. */
const PARTS_PER_RECORD = 8

/** Members of an index that are made from the records of the log, and never written to or read from an index file. */
const NO_SNAPSHOTS = { submits: [], left: [], returns: [], snapshotRecords: [], snapshots: [] } as const

interface Lookups {
  readonly snapshotRecords: ReadonlyMap<number, LogRecord>
  readonly numbers: Pick<JobNumbers, 'get'>
}

/** Index of a log: positions of the seal segments, and snapshots, to find any state by reading a part of the log. */
export class LogIndex {
  readonly header: Header
  /** Outcome of the log when the index was made. */
  readonly outcome: LogOutcome
  readonly #data: IndexData
  readonly #jobs: number
  readonly #snapshotRecords: ReadonlyMap<number, LogRecord>
  readonly #numbers: Pick<JobNumbers, 'get'>

  /** A `LogIndexBuilder` may add entries to `data` and `lookups` later, all with later seqs than this index has. */
  constructor(data: IndexData, lookups: Lookups = lookupsOf(data)) {
    this.header = data.header
    this.outcome = data.outcome
    this.#data = data
    this.#jobs = data.submits.length
    this.#snapshotRecords = lookups.snapshotRecords
    this.#numbers = lookups.numbers
  }

  /** Number of all records of the log, seals and end record included. */
  get records(): number {
    return this.outcome.records
  }
  /** Time of the last record, in seconds. */
  get lastTime(): number {
    return this.#data.times.at(-1) ?? 0
  }
  /** Submit records of all jobs, in submit order. */
  get submits(): ReadonlyArray<Submit> {
    return this.#data.submits.slice(0, this.#jobs)
  }
  get segments(): number {
    return this.#data.ends.length
  }

  /** Returns the number, from 0, of the segment that has the record `seq`. */
  segmentOf(seq: number): number {
    const { seals } = this.#data
    return lowerBound(seals.length, (at) => seals[at] < seq)
  }
  firstSeq(segment: number): number {
    return segment === 0 ? 0 : this.#data.seals[segment - 1] + 1
  }
  /** Returns the first byte of a segment and the byte after the segment, both in the uncompressed log. */
  bytesOf(segment: number): readonly [from: number, to: number] {
    return [this.#data.ends[segment - 1] ?? 0, this.#data.ends[segment]]
  }
  /** Returns the time of the last record of a segment, in seconds. */
  timeOf(segment: number): number {
    return this.#data.times[segment]
  }
  /** Returns the hash of a segment's seal; undefined for the records after the last seal, '' for the number -1. */
  hashOf(segment: number): string | undefined {
    return segment < 0 ? '' : this.#data.hashes[segment]
  }

  /** Returns the first segment with a last record later than `t` (seconds); the number of segments if there is none. */
  segmentAfter(t: number): number {
    const { times } = this.#data
    return lowerBound(times.length, (segment) => times[segment] <= t)
  }

  /** Returns a new state: the last snapshot at or before the record `seq`, or else the state after the header. */
  stateBefore(seq: number): LogState {
    const { snapshots } = this.#data
    const later = lowerBound(snapshots.length, (at) => snapshots[at].seq <= seq)
    // A snapshot has no ended runs.
    const needsAll = this.header.order?.claims.history === true
    return later === 0 || needsAll ? new LogState(this.header) : this.#restored(snapshots[later - 1])
  }

  #restored({
    seq,
    t,
    ended,
    waiting,
    running,
    progress,
    reservations,
    routes,
    killed,
    down: [nodes, ...links],
    downRails,
  }: IndexedSnapshot): LogState {
    const { submits } = this.#data
    const recordOf = <Type extends LogRecord['type']>(each: number): Extract<LogRecord, { readonly type: Type }> =>
      this.#snapshotRecords.get(each) as Extract<LogRecord, { readonly type: Type }>
    const rates = new Map(progress.map((each) => [recordOf<'progress'>(each).job, recordOf<'progress'>(each)]))
    return new LogState(this.header, {
      seq,
      t,
      ended,
      wasSubmitted: (job) => {
        const number = this.#numbers.get(job)
        return number !== undefined && submits[number].seq <= seq
      },
      waiting: this.#queueAt(seq, waiting),
      running: triples(running).map(([job, allocate, end]) => ({
        submit: submits[job],
        allocate: recordOf<'allocate'>(allocate),
        ended: end === 0 ? undefined : recordOf<'finish' | 'kill' | 'withdraw'>(end),
        progress: rates.get(submits[job].job),
      })),
      reservations: reservations.map((each) => recordOf<'reserve'>(each)),
      routes: routes.map((each) => recordOf<'route'>(each)),
      killed: killed.map((job) => submits[job]),
      downNodes: parseIdset(nodes),
      downLinks: links.map((ids) => parseIdset(ids)),
      downRails,
    })
  }

  #queueAt(seq: number, size: number): QueueBefore {
    const { submits, left, returns } = this.#data
    let returned: Set<number> | undefined
    const hasReturned = (number: number): boolean => {
      returned ??= new Set(
        triples(returns).flatMap(([job, came, went]) => (came <= seq && (went === 0 || went > seq) ? [job] : [])),
      )
      return returned.has(number)
    }
    return {
      size,
      get: (job) => {
        const number = this.#numbers.get(job)
        if (number === undefined || submits[number].seq > seq) return undefined
        return left[number] === 0 || left[number] > seq || hasReturned(number) ? submits[number] : undefined
      },
      values: () => this.#waitingAt(seq),
    }
  }

  *#waitingAt(seq: number): Generator<Submit, void> {
    const { submits, left, returns } = this.#data
    let job = 0
    for (let at = 0; at <= returns.length; at += 3) {
      const until = Math.min(at < returns.length ? returns[at + 1] : Infinity, seq + 1)
      // A binary search finds the end: a test of the seq of each submit would take longer than all other work.
      const end = lowerBound(submits.length, (each) => submits[each].seq < until)
      for (; job < end; job++) if (left[job] === 0 || left[job] > seq) yield submits[job]
      if (at < returns.length && returns[at + 1] <= seq && (returns[at + 2] === 0 || returns[at + 2] > seq))
        yield submits[returns[at]]
    }
  }

  /** Returns the index as text for an index file, without snapshots: no seal can confirm the queue of a snapshot. */
  encode(): string {
    return JSON.stringify({ ...this.#data, ...NO_SNAPSHOTS })
  }

  /** Returns the index in a text from `encode`; undefined for other texts. `decode` does not read the log. */
  static decode(text: string): LogIndex | undefined {
    try {
      const data = JSON.parse(text) as IndexData
      return data.format === 'cloister-log-index' && data.version === 2 && isSound(data)
        ? new LogIndex({ ...data, ...NO_SNAPSHOTS })
        : undefined
    } catch {
      return undefined
    }
  }
}

/** Maker of an index: takes all records of a log, in order. */
export class LogIndexBuilder {
  #state: LogState | undefined
  #bytes = 0
  readonly #ends: Array<number> = []
  readonly #times: Array<number> = []
  readonly #hashes: Array<string> = []
  readonly #seals: Array<number> = []
  readonly #submits: Array<Submit> = []
  readonly #numbers = new JobNumbers()
  readonly #left: Array<number> = []
  readonly #returns: Array<number> = []
  readonly #lastReturn = new Map<string, number>()
  readonly #snapshotRecords = new Map<number, LogRecord>()
  readonly #snapshots: Array<IndexedSnapshot> = []

  /**
   * Adds the next record of the log to the index.
   *
   * @param end byte of the log after the record, from `LogReader.ends`; by default, the end of the previous record plus
   *   the length of the record's line in the present version
   * @throws FoldError if the record cannot follow the earlier records
   */
  add(record: LogRecord, end?: number): void {
    this.#bytes = end ?? this.#bytes + encodeRecord(record).length + 1
    if (record.type === 'header') this.#state = new LogState(record)
    else this.#state!.apply(record)
    this.#followQueue(record)
    if (record.type !== 'seal') return
    this.#endSegment(record.t)
    this.#hashes.push(record.hash)
    this.#seals.push(record.seq)
    if (this.#hashes.length % SNAPSHOT_EVERY === 0) this.#snapshot(record.seq, this.#state!)
  }

  /** Adds a snapshot only if the state has few entries for the records since the last snapshot: bounds their sum. */
  #snapshot(seq: number, state: LogState): void {
    const { running, reservations, routes, killed, downNodes, downLinks, topology } = state
    const parts = [running, reservations, routes, killed, downNodes, ...downLinks].reduce(
      (sum, { size }) => sum + size,
      0,
    )
    const searched = (topology.nodes + topology.levels.reduce((sum, { links }) => sum + links, 0)) / 32
    if (seq - (this.#snapshots.at(-1)?.seq ?? 0) >= (parts + searched) / PARTS_PER_RECORD)
      this.#snapshots.push(this.#indexed(state))
  }

  /** Returns the index of the records added so far. The time of `index` grows with the segments, not with the jobs. */
  index(outcome: LogOutcome): LogIndex {
    const { header, t } = this.#state!
    const hasTail = this.#bytes > (this.#ends.at(-1) ?? 0)
    const data: IndexData = {
      format: 'cloister-log-index',
      version: 2,
      header,
      outcome,
      // Copies: the last entry of these lists may change, when the records after the last seal become a longer segment.
      ends: hasTail ? [...this.#ends, this.#bytes] : [...this.#ends],
      times: hasTail ? [...this.#times, t] : [...this.#times],
      hashes: [...this.#hashes],
      seals: [...this.#seals],
      submits: this.#submits,
      left: this.#left,
      returns: this.#returns,
      snapshotRecords: [],
      snapshots: this.#snapshots,
    }
    return new LogIndex(data, { snapshotRecords: this.#snapshotRecords, numbers: this.#numbers })
  }

  #endSegment(t: number): void {
    this.#ends.push(this.#bytes)
    this.#times.push(t)
  }

  #followQueue(record: LogRecord): void {
    switch (record.type) {
      case 'submit':
        this.#numbers.add(record.job)
        this.#submits.push(record)
        return void this.#left.push(0)
      case 'requeue':
        this.#lastReturn.set(record.job, this.#returns.length)
        return void this.#returns.push(this.#numbers.get(record.job)!, record.seq, 0)
      case 'allocate':
        // A job that moves has left the queue before.
        return record.moved === undefined ? this.#leave(record.job, record.seq) : undefined
      case 'reject':
        return this.#leave(record.job, record.seq)
      case 'cancel':
        if (!this.#state!.running.has(record.job)) this.#leave(record.job, record.seq)
    }
  }

  #leave(job: string, seq: number): void {
    const back = this.#lastReturn.get(job)
    if (back === undefined) this.#left[this.#numbers.get(job)!] = seq
    else this.#returns[back + 2] = seq
  }

  #indexed({
    seq,
    t,
    ended,
    waiting,
    running,
    reservations,
    routes,
    killed,
    downNodes,
    downLinks,
    downRails,
  }: LogState): IndexedSnapshot {
    const numberOf = ({ job }: Submit): number => this.#numbers.get(job)!
    const keep = (record: LogRecord): number => {
      this.#snapshotRecords.set(record.seq, record)
      return record.seq
    }
    return {
      seq,
      t,
      ended,
      waiting: waiting.size,
      running: [...running.values()].flatMap(({ submit, allocate, ended: end }) => [
        numberOf(submit),
        keep(allocate),
        end === undefined ? 0 : keep(end),
      ]),
      progress: [...running.values()].flatMap(({ progress }) => (progress === undefined ? [] : [keep(progress)])),
      reservations: [...reservations.values()].map(keep),
      routes: [...routes.values()].map(keep),
      killed: [...killed.values()].map(numberOf),
      down: [downNodes, ...downLinks].map((parts) => formatIdset(parts.ids())),
      downRails: downRails.map((ofLevel) => new Map(ofLevel)),
    }
  }
}

function lookupsOf({ snapshotRecords, submits }: IndexData): Lookups {
  const numbers = new JobNumbers()
  for (const { job } of submits) numbers.add(job)
  return { snapshotRecords: new Map(snapshotRecords.map((record) => [record.seq, record])), numbers }
}

function triples(encoded: ReadonlyArray<number>): Array<readonly [number, number, number]> {
  return Array.from(
    { length: encoded.length / 3 },
    (_, at) => [encoded[3 * at], encoded[3 * at + 1], encoded[3 * at + 2]] as const,
  )
}
