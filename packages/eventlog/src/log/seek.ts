import { base64url } from '@cloister/topology'
import { ascii } from './ascii.ts'
import { type LineDecoder, lineDecoder } from '../records/decode.ts'
import type { LogState } from './fold.ts'
import type { HashFunction } from './hash.ts'
import type { LogIndex } from './log-index.ts'
import type { LogRecord } from '../records/types.ts'
import { RecordError } from '../records/record-error.ts'
import { upcasters } from '../records/versions.ts'

/** Segments kept decoded: stepping to and fro stays inside a few. */
const CACHED_SEGMENTS = 8
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
   * @throws RecordError where the log is no longer what was indexed, or the index never was this log's
   */
  stateAt(seq: number): LogState {
    const { records } = this.index
    if (!Number.isInteger(seq) || seq < 0 || seq >= records)
      throw new RangeError(`found record ${seq}, expected 0 to ${records - 1}`)
    return this.#byIndex(() => {
      const state = this.index.stateBefore(seq)
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
    let seq = this.index.firstSeq(segment) - 1
    for (const record of this.#segment(segment)) {
      if ('t' in record && record.t > t) break
      seq = record.seq
    }
    return Math.max(seq, 0)
  }

  /** Records from one seq on, up to another that is left out. */
  *records(from: number, to: number): Generator<LogRecord, void> {
    const end = Math.min(to, this.index.records)
    for (let seq = Math.max(from, 0); seq < end;) {
      const segment = this.index.segmentOf(seq)
      const first = this.index.firstSeq(segment)
      const records = this.#segment(segment)
      if (records[seq - first] === undefined) throw new RecordError(`record ${seq} is not where the index has it`)
      for (; seq < end && seq - first < records.length; seq++) yield records[seq - first]
    }
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
    return lines.map(isSealed ? this.#lines.trust : this.#lines.decode)
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
      if (this.#keptIn === undefined || isFileError(error) || error instanceof MisfitError) throw error
      throw new MisfitError(
        `${this.#keptIn} does not fit the log beside it: delete it, and it is made anew (${(error as Error).message})`,
      )
    }
  }

  /** An index is believed for where things are, not for what they are. False for what follows the last seal: nothing vouches for that. */
  #checkSeal(segment: number, bytes: Uint8Array): boolean {
    const hash = this.index.hashOf(segment)
    if (hash === undefined) return false
    const chain = this.#hash()
    chain.update(ascii(this.index.hashOf(segment - 1)!))
    chain.update(bytes.subarray(0, Math.max(0, bytes.length - HASH_FIELD.length - hash.length - '"}\n'.length)))
    if (base64url(chain.digest()) !== hash)
      throw new RecordError(
        `bytes ${this.index.bytesOf(segment).join(' to ')} of the log are not those that were indexed`,
      )
    return true
  }
}

/** Told once, however deep it was noticed. */
class MisfitError extends RecordError {}

/** A file that cannot be read is no fault of the index. */
function isFileError(error: unknown): boolean {
  return (error as { readonly _tag?: unknown } | undefined)?._tag === 'LogFileError'
}
