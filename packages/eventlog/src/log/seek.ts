import { base64url } from '@cloister/topology'
import { ascii } from './ascii.ts'
import { encodeRecord, lineDecoder, type LineDecoder } from '../records/lines.ts'
import type { LogState } from './fold.ts'
import type { HashFunction } from './hash-function.ts'
import { stateDigest } from './owners.ts'
import { type LogIndex, LogIndexBuilder } from './log-index.ts'
import type { LogRecord } from '../records/types.ts'
import { RecordError } from '../limits.ts'
import { upcasters } from '../records/versions.ts'

/** Number of decoded segments in memory: a viewer that steps forwards and backwards stays within a few segments. */
const CACHED_SEGMENTS = 8
/**
 * Number of records that are decoded at once. `KEPT_BATCHES`: most batches in memory for `readOn`, enough for the
 * records before the first start in nearly all logs.
 */
const BATCH = 4096
const KEPT_BATCHES = 256
const LF = 10
const HASH_FIELD = ',"hash":"'
const LATIN1 = new TextDecoder('latin1')

/** Finds states and records of a log by an index: from a snapshot, or else from the start of the log. */
export class LogSeeker {
  readonly index: LogIndex
  readonly #read: (from: number, to: number) => Uint8Array
  readonly #hash: HashFunction
  readonly #keptIn: string | undefined
  #lines: LineDecoder | undefined
  readonly #cache = new Map<number, ReadonlyArray<LogRecord>>()
  readonly #verified = new Set<number>()
  readonly #maker = new LogIndexBuilder()
  #followed = 0
  #made: LogIndex | undefined
  /** Batches of records that `#maker` has taken and that `readOn` has not returned yet. */
  readonly #ahead: Array<ReadonlyArray<LogRecord>> = []

  /**
   * @param read returns the bytes of the uncompressed log from `from` to `to`, exclusive
   * @param keptIn path of the file that the index comes from, for messages; absent if the index was made in memory
   */
  constructor(index: LogIndex, read: (from: number, to: number) => Uint8Array, hash: HashFunction, keptIn?: string) {
    this.index = index
    this.#read = read
    this.#hash = hash
    this.#keptIn = keptIn
  }

  /**
   * Returns the state after a record, equal to a `LogState` to which all records up to this record were applied. The
   * caller owns the state, and may apply the next records to step forwards.
   *
   * @param seq from 0 to `index.records - 1`
   * @throws IndexMisfitError if the index is from a file and does not fit the log: the log changed, or the index is
   *   wrong
   */
  stateAt(seq: number): LogState {
    const { records } = this.index
    if (!Number.isInteger(seq) || seq < 0 || seq >= records)
      throw new RangeError(`found record ${seq}, expected 0 to ${records - 1}`)
    return this.#byIndex(() => {
      const state = this.#snapshots(seq).stateBefore(seq)
      if (this.#keptIn !== undefined) this.#verify(state)
      for (const record of this.records(state.seq + 1, seq + 1)) state.apply(record)
      return state
    })
  }

  /** Returns the state after all events until `t` (seconds). */
  stateAtTime(t: number): LogState {
    return this.stateAt(this.seqAt(t))
  }

  /** Returns the seq of the last record not later than `t` (seconds); 0, the header, if all other records are later. */
  seqAt(t: number): number {
    const segment = this.index.segmentAfter(t)
    if (segment === this.index.segments) return this.index.records - 1
    // `#segment` compares the time of the segment in an index file with the log.
    if (segment > 0) this.#segment(segment - 1)
    let seq = this.index.firstSeq(segment) - 1
    for (const record of this.#segment(segment)) {
      if ('t' in record && record.t > t) break
      seq = record.seq
    }
    return Math.max(seq, 0)
  }

  /**
   * Returns true if the header and the last record of the log agree with the index.
   *
   * @throws IndexMisfitError if a segment is not at its place in the index
   */
  fits(): boolean {
    const { header, records, outcome } = this.index
    const [first] = this.records(0, 1)
    const [before, last] = [-2, -1].map((at) => this.#segment(this.index.segments - 1).at(at))
    return (
      encodeRecord(first) === encodeRecord(header) &&
      last?.seq === records - 1 &&
      (outcome.status === 'whole') === (last.type === 'seal' && before?.type === 'end')
    )
  }

  /** Yields the records from seq `from` up to seq `to`, exclusive. */
  *records(from: number, to: number): Generator<LogRecord, void> {
    const end = Math.min(to, this.index.records)
    for (let seq = Math.max(from, 0); seq < end;) {
      const segment = this.index.segmentOf(seq)
      const first = this.index.firstSeq(segment)
      const records = this.#segment(segment)
      if (records[seq - first] === undefined)
        this.#byIndex(() => {
          throw new RecordError(`record ${seq} is not at its place in the index`)
        })
      for (; seq < end && seq - first < records.length; seq++) yield records[seq - first]
    }
  }

  /**
   * Returns the next records from the seq `from` on, for a caller that reads all records in turn. A state among the
   * returned records is then found from a snapshot. Records that were decoded for a state are not decoded again.
   *
   * @throws IndexMisfitError if a record cannot follow the earlier records of the log
   */
  readOn(from: number): ReadonlyArray<LogRecord> {
    const [next] = this.#ahead
    if (next?.[0].seq === from) return this.#ahead.shift()!
    const records = [...this.records(from, Math.min(from + BATCH, next?.[0].seq ?? Infinity))]
    this.#follow(records)
    return records
  }

  /**
   * Decodes a batch of the records that the state after `seq` needs. Returns false if all these records are decoded, or
   * if the index was made in memory.
   *
   * @param seq last record of the state
   * @throws IndexMisfitError if a record cannot follow the earlier records of the log
   */
  prepare(seq: number): boolean {
    if (this.#keptIn === undefined || this.#followed > seq) return false
    const records = [...this.records(this.#followed, this.#followed + BATCH)]
    this.#follow(records)
    if (this.#ahead.length < KEPT_BATCHES) this.#ahead.push(records)
    return true
  }

  #follow(records: ReadonlyArray<LogRecord>): void {
    if (this.#keptIn === undefined) return
    this.#byIndex(() => {
      for (const record of records) {
        if (record.seq !== this.#followed) continue
        // `#maker` needs no ends of records, because `this.index` has the ends of the segments already.
        this.#maker.add(record, 0)
        this.#followed++
      }
    })
  }

  /** Returns an index with snapshots up to the record `seq`; an index from a file gets its snapshots from the log. */
  #snapshots(seq: number): LogIndex {
    if (this.#keptIn === undefined) return this.index
    if (this.#made === undefined || seq >= this.#made.outcome.records) {
      while (this.prepare(seq));
      this.#made = this.#maker.index({ ...this.index.outcome, records: this.#followed })
    }
    return this.#made
  }

  #verify(snapshot: LogState): void {
    if (snapshot.seq === 0 || this.#verified.has(snapshot.seq)) return
    const seal = this.#segment(this.index.segmentOf(snapshot.seq)).at(-1)
    if (seal?.type !== 'seal' || seal.seq !== snapshot.seq || seal.t !== snapshot.t)
      throw new RecordError(`record ${snapshot.seq} is not the seal that the index names`)
    if (seal.state !== stateDigest(snapshot, this.#hash))
      throw new RecordError(`the state after record ${snapshot.seq} differs from the digest in the seal`)
    this.#verified.add(snapshot.seq)
  }

  #segment(segment: number): ReadonlyArray<LogRecord> {
    const cached = this.#cache.get(segment) ?? this.#byIndex(() => this.#decoded(segment))
    if (!this.#cache.has(segment) && this.#cache.size === CACHED_SEGMENTS)
      this.#cache.delete(this.#cache.keys().next().value!)
    this.#cache.set(segment, cached)
    return cached
  }

  #decoded(segment: number): ReadonlyArray<LogRecord> {
    const bytes = this.#read(...this.index.bytesOf(segment))
    const isSealed = this.#checkSeal(segment, bytes)
    // Sealed bytes are unchanged since the index was made, and passed every check of the reader at that time.
    const lines = LATIN1.decode(bytes).split('\n').slice(0, -1)
    this.#lines ??= lineDecoder(segment === 0 ? lines[0] : this.#firstLine(), upcasters)
    const records = lines.map(isSealed ? this.#lines.trust : this.#lines.decode)
    if (this.#keptIn !== undefined) this.#checkPlace(segment, records)
    return records
  }

  #checkPlace(segment: number, records: ReadonlyArray<LogRecord>): void {
    const last = records.at(-1)
    const next = segment + 1 < this.index.segments ? this.index.firstSeq(segment + 1) : this.index.records
    if (last === undefined || last.seq !== next - 1 || ('t' in last ? last.t : 0) !== this.index.timeOf(segment))
      throw new RecordError(`segment ${segment} ends in another record than the index has for the segment`)
  }

  #firstLine(): string {
    const bytes = this.#read(...this.index.bytesOf(0))
    return LATIN1.decode(bytes.subarray(0, bytes.indexOf(LF)))
  }

  /**
   * Throws an IndexMisfitError if a lookup in an index from a file fails: the index is wrong, or the log has changed.
   * Errors of the file system are thrown unchanged.
   */
  #byIndex<Found>(find: () => Found): Found {
    try {
      return find()
    } catch (error) {
      if (this.#keptIn === undefined || isFileError(error) || error instanceof IndexMisfitError) throw error
      throw new IndexMisfitError(`${this.#keptIn} does not fit the log beside it (${(error as Error).message})`)
    }
  }

  /**
   * Checks that the bytes and the seal of a segment have the hash in the index, because the log may have changed since
   * the index was made. Returns false, without a check, for the records after the last seal.
   */
  #checkSeal(segment: number, bytes: Uint8Array): boolean {
    const hash = this.index.hashOf(segment)
    if (hash === undefined) return false
    const chain = this.#hash()
    chain.update(ascii(this.index.hashOf(segment - 1)!))
    chain.update(bytes.subarray(0, Math.max(0, bytes.length - HASH_FIELD.length - hash.length - '"}\n'.length)))
    if (base64url(chain.digest()) !== hash || !isSealedBy(hash, bytes))
      throw new RecordError(
        `bytes ${this.index.bytesOf(segment).join(' to ')} of the log differ from the indexed bytes`,
      )
    return true
  }
}

/** Compares the hash in the log's seal with the index: a right hash in the index does not excuse a wrong seal. */
function isSealedBy(hash: string, bytes: Uint8Array): boolean {
  return (
    LATIN1.decode(bytes.subarray(-(HASH_FIELD.length + hash.length + '"}\n'.length))) === `${HASH_FIELD}${hash}"}\n`
  )
}

/** Error for an index from a file that does not fit the log. */
export class IndexMisfitError extends RecordError {}

function isFileError(error: unknown): boolean {
  return (error as { readonly _tag?: unknown } | undefined)?._tag === 'LogFileError'
}
