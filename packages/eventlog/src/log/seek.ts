import { base64url } from '@cloister/topology'
import { ascii } from './ascii.ts'
import { type LineDecoder, lineDecoder } from '../records/decode.ts'
import { encodeRecord } from '../records/encode.ts'
import type { LogState } from './fold.ts'
import type { HashFunction } from './hash.ts'
import { type LogIndex, LogIndexBuilder } from './log-index.ts'
import type { LogRecord } from '../records/types.ts'
import { RecordError } from '../records/record-error.ts'
import { stateDigest } from './state-digest.ts'
import { upcasters } from '../records/versions.ts'

/** Segments kept decoded: stepping to and fro stays inside a few. */
const CACHED_SEGMENTS = 8
/** Records that are decoded at once, and batches of them that are kept for who reads on: few logs have more before a run begins. */
const BATCH = 4096
const KEPT_BATCHES = 256
const LF = 10
const HASH_FIELD = ',"hash":"'
const LATIN1 = new TextDecoder('latin1')

/** Finds states and records of a log by its index, reading of the log only what lies between a snapshot and them. */
export class LogSeeker {
  readonly index: LogIndex
  readonly #read: (from: number, to: number) => Uint8Array
  readonly #hash: HashFunction
  readonly #keptIn: string | undefined
  #lines: LineDecoder | undefined
  readonly #cache = new Map<number, ReadonlyArray<LogRecord>>()
  /** Seqs of the snapshots that were found to be right. */
  readonly #verified = new Set<number>()
  readonly #maker = new LogIndexBuilder()
  /** Records that it has. */
  #followed = 0
  #made: LogIndex | undefined
  /** Batches that it has and that `readOn` has not given yet. */
  readonly #ahead: Array<ReadonlyArray<LogRecord>> = []

  /**
   * @param read gives bytes of the log, as they are before compression
   * @param keptIn the file that the index comes from: what is wrong with it is told with its name
   */
  constructor(index: LogIndex, read: (from: number, to: number) => Uint8Array, hash: HashFunction, keptIn?: string) {
    this.index = index
    this.#read = read
    this.#hash = hash
    this.#keptIn = keptIn
  }

  /**
   * The state after a record; the same as the fold of all records up to it. It is the caller's: applying the next records to
   * it steps forwards.
   *
   * @param seq from 0 to `index.records - 1`
   * @throws IndexMisfitError where the index, which comes from a file, does not fit the log: it changed, or the index is wrong
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

  /** The state after everything that happened until `t`, seconds. */
  stateAtTime(t: number): LogState {
    return this.stateAt(this.seqAt(t))
  }

  /** The last record that is not after `t`, seconds: at least the header. */
  seqAt(t: number): number {
    const segment = this.index.segmentAfter(t)
    if (segment === this.index.segments) return this.index.records - 1
    // It is read, so that what the index says of its time is compared with the log.
    if (segment > 0) this.#segment(segment - 1)
    let seq = this.index.firstSeq(segment) - 1
    for (const record of this.#segment(segment)) {
      if ('t' in record && record.t > t) break
      seq = record.seq
    }
    return Math.max(seq, 0)
  }

  /** Whether the log begins and ends as the index says. @throws where the index cannot be followed */
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

  /** Records from one seq on, up to another that is left out. */
  *records(from: number, to: number): Generator<LogRecord, void> {
    const end = Math.min(to, this.index.records)
    for (let seq = Math.max(from, 0); seq < end;) {
      const segment = this.index.segmentOf(seq)
      const first = this.index.firstSeq(segment)
      const records = this.#segment(segment)
      if (records[seq - first] === undefined)
        this.#byIndex(() => {
          throw new RecordError(`record ${seq} is not where the index has it`)
        })
      for (; seq < end && seq - first < records.length; seq++) yield records[seq - first]
    }
  }

  /**
   * The next records for whoever reads all of them, from one that is told: states among them are found at once. What was decoded
   * for a state is not decoded again.
   *
   * @throws IndexMisfitError where they cannot follow those before
   */
  readOn(from: number): ReadonlyArray<LogRecord> {
    const [next] = this.#ahead
    if (next?.[0].seq === from) return this.#ahead.shift()!
    const records = [...this.records(from, Math.min(from + BATCH, next?.[0].seq ?? Infinity))]
    this.#follow(records)
    return records
  }

  /**
   * Decodes a batch of what a state is made of; false where it is all there.
   *
   * @param seq of the state's record
   * @throws IndexMisfitError where they cannot follow those before
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
        // Where records end in the file is known already.
        this.#maker.add(record, 0)
        this.#followed++
      }
    })
  }

  /**
   * An index that was made from the log's records up to one at least. That from a file has no snapshots: they are made here,
   * from the log, as far as states are asked for.
   */
  #snapshots(seq: number): LogIndex {
    if (this.#keptIn === undefined) return this.index
    if (this.#made === undefined || seq >= this.#made.outcome.records) {
      while (this.prepare(seq));
      this.#made = this.#maker.index({ ...this.index.outcome, records: this.#followed })
    }
    return this.#made
  }

  /** A snapshot is believed where its nodes and links are those that the log's seal digested. */
  #verify(snapshot: LogState): void {
    if (snapshot.seq === 0 || this.#verified.has(snapshot.seq)) return
    const seal = this.#segment(this.index.segmentOf(snapshot.seq)).at(-1)
    if (seal?.type !== 'seal' || seal.seq !== snapshot.seq || seal.t !== snapshot.t)
      throw new RecordError(`record ${snapshot.seq} is not the seal that the index has there`)
    if (seal.state !== stateDigest(snapshot, this.#hash))
      throw new RecordError(`the state after record ${snapshot.seq} is not the one that was sealed`)
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
    // Bytes that have not changed since they were indexed were decoded with every check then.
    const lines = LATIN1.decode(bytes).split('\n').slice(0, -1)
    this.#lines ??= lineDecoder(segment === 0 ? lines[0] : this.#firstLine(), upcasters)
    const records = lines.map(isSealed ? this.#lines.trust : this.#lines.decode)
    if (this.#keptIn !== undefined) this.#checkPlace(segment, records)
    return records
  }

  /** A segment ends where the index says, with that record and at that time. */
  #checkPlace(segment: number, records: ReadonlyArray<LogRecord>): void {
    const last = records.at(-1)
    const next = segment + 1 < this.index.segments ? this.index.firstSeq(segment + 1) : this.index.records
    if (last === undefined || last.seq !== next - 1 || ('t' in last ? last.t : 0) !== this.index.timeOf(segment))
      throw new RecordError(`segment ${segment} ends in another record than the index has there`)
  }

  /** It says in which version the log is written. */
  #firstLine(): string {
    const bytes = this.#read(...this.index.bytesOf(0))
    return LATIN1.decode(bytes.subarray(0, bytes.indexOf(LF)))
  }

  /** An index from a file may say anything: whatever cannot be followed is its fault, or that of a log that changed since. */
  #byIndex<Found>(find: () => Found): Found {
    try {
      return find()
    } catch (error) {
      if (this.#keptIn === undefined || isFileError(error) || error instanceof IndexMisfitError) throw error
      throw new IndexMisfitError(`${this.#keptIn} does not fit the log beside it (${(error as Error).message})`)
    }
  }

  /** An index is believed for where things are, not for what they are. False for what follows the last seal: nothing vouches for that. */
  #checkSeal(segment: number, bytes: Uint8Array): boolean {
    const hash = this.index.hashOf(segment)
    if (hash === undefined) return false
    const chain = this.#hash()
    chain.update(ascii(this.index.hashOf(segment - 1)!))
    chain.update(bytes.subarray(0, Math.max(0, bytes.length - HASH_FIELD.length - hash.length - '"}\n'.length)))
    if (base64url(chain.digest()) !== hash || !isSealedBy(hash, bytes))
      throw new RecordError(
        `bytes ${this.index.bytesOf(segment).join(' to ')} of the log are not those that were indexed`,
      )
    return true
  }
}

/** Whether a segment ends in a seal with this hash: an index that tells the right hash of broken seals does not mend them. */
function isSealedBy(hash: string, bytes: Uint8Array): boolean {
  return (
    LATIN1.decode(bytes.subarray(-(HASH_FIELD.length + hash.length + '"}\n'.length))) === `${HASH_FIELD}${hash}"}\n`
  )
}

/** An index that was kept in a file does not fit its log. */
export class IndexMisfitError extends RecordError {}

/** A file that cannot be read is no fault of the index. */
function isFileError(error: unknown): boolean {
  return (error as { readonly _tag?: unknown } | undefined)?._tag === 'LogFileError'
}
