import { createHash } from 'node:crypto'
import { fstatSync } from 'node:fs'
import { attempt, closeRead } from './file-error.ts'
import { FoldError } from '../log/fold.ts'
import { FileWatch } from './file-watch.ts'
import { type Identity, indexPath, type StoredIndex, readIndex, writeIndex } from './index-file.ts'
import { nameIsCompressed, readChunk } from './log-file.ts'
import { type LogIndex, LogIndexBuilder } from '../log/log-index.ts'
import { type Frame, rangesOfFrames, rangesOfPlain, type ReadRange } from './log-ranges.ts'
import { BrokenChunksError, type LogOutcome, LogReader } from '../log/reader.ts'
import type { LogRecord } from '../records/types.ts'
import { openRegular } from './regular-file.ts'
import { LogSeeker } from '../log/seek.ts'
import { sha256 } from './sha256.ts'
import { isBeingWritten } from './writer-lock.ts'
import { FrameDecompressor } from './frame-decompressor.ts'
import { isZstd } from './zstd.ts'

/** Least size in bytes of a log for an index. For a smaller log, an index would save no noticeable time. */
const WORTH_AN_INDEX = 2 ** 22

/**
 * Reads a log file piece by piece, in turn with other work and while the file is still being written. Finds any state
 * of the records read so far. A log with an index beside it is not checked again, and any state is found at once.
 */
export class LogFollower {
  readonly path: string
  /** Returns bytes of the uncompressed log. */
  readonly read: ReadRange = (from, to) => {
    this.#ranges ??=
      this.#isCompressed === true
        ? rangesOfFrames(this.path, this.#file, this.#frames)
        : rangesOfPlain(this.path, this.#file)
    return this.#ranges(from, to)
  }
  #ranges: ReadRange | undefined
  readonly #file: number
  readonly #keepIndex: boolean | undefined
  readonly #reader = new LogReader(sha256)
  readonly #builder = new LogIndexBuilder()
  readonly #frames: Array<Frame> = []
  readonly #found: LogSeeker | undefined
  /** Last record of the first instant of the log. */
  #beginning: number | undefined
  /** Reason why an existing index was not taken. */
  readonly #unusable: string | undefined
  readonly #watch: FileWatch
  /** Checksum of the read bytes of the file. */
  readonly #checksum = createHash('sha256')
  /** Undefined until bytes or an index were read. */
  #isCompressed: boolean | undefined
  readonly #decompressor = new FrameDecompressor()
  #indexed: 'found' | 'made' | 'in memory' = 'in memory'
  #identity: Identity | undefined
  /** Number of bytes of the file read so far. */
  #position = 0
  /** Number of bytes of the uncompressed log read so far. */
  #length = 0
  #records = 0
  #sealed = 0
  #brokenChunks: BrokenChunksError | undefined
  #broken: { readonly error: FoldError; readonly record: LogRecord } | undefined
  #outcome: LogOutcome | undefined

  /**
   * Opens a log file.
   *
   * @param options.keepIndex true to write the index after the whole log was read; default: for logs of 4 MiB and more,
   * and if an existing index is unusable
   * @param options.takeIndex false to ignore an existing index
   * @throws LogFileError if the file cannot be opened, or is a pipe
   */
  constructor(path: string, options: { readonly keepIndex?: boolean; readonly takeIndex?: boolean } = {}) {
    this.path = path
    this.#keepIndex = options.keepIndex
    this.#file = openRegular(path)
    try {
      this.#watch = new FileWatch(path, this.#file)
      const found =
        options.takeIndex === false ? undefined : readIndex(path, this.#file, (stored) => this.#seekerBy(stored).fits())
      if (found === undefined) return
      if ('unusable' in found) {
        this.#forgetIndex()
        this.#unusable = found.unusable
        return
      }
      this.#indexed = 'found'
      this.#identity = found.identity
      this.#found = this.#seekerBy(found)
    } catch (error) {
      closeRead(this.#file)
      throw error
    }
  }

  /** Remark for the user about an unusable index; undefined if the index was taken, or there was none. */
  get remark(): string | undefined {
    return this.#unusable === undefined
      ? undefined
      : `${indexPath(this.path)} was not used: ${this.#unusable}; the log is read whole`
  }
  /** Origin of the index: `found` beside the log, `made` and kept beside the log, or `in memory` only. */
  get indexed(): 'found' | 'made' | 'in memory' {
    return this.#indexed
  }
  /** Identity of the bytes of the file, known as soon as the index is beside the log. */
  get identity(): Identity | undefined {
    return this.#identity
  }
  /** Number of records given so far. */
  get records(): number {
    return this.#records
  }
  /** Share of the file read so far, from 0 to 1. */
  get progress(): number {
    if (this.#found !== undefined) return this.#records / this.#found.index.records
    const { size } = attempt('read', this.path, () => fstatSync(this.#file))
    return size === 0 ? 1 : Math.min(1, this.#position / size)
  }
  /** First record that cannot follow the earlier records, with the error. Nothing beyond is read. */
  get broken(): { readonly error: FoldError; readonly record: LogRecord } | undefined {
    return this.#broken
  }
  /** True if another log took the place of the log during the reading. Nothing beyond is read. */
  get wasReplaced(): boolean {
    return this.#watch.isOther
  }
  /** Outcome of the log, known after `finish`, or as soon as the log is found corrupt. */
  get outcome(): LogOutcome | undefined {
    return this.#outcome ?? this.#reader.outcome
  }

  /**
   * Reads on. Returns the records newly covered by a seal; undefined if there is nothing more to read now.
   *
   * @throws LogFileError if the file cannot be read
   */
  next(): ReadonlyArray<LogRecord> | undefined {
    if (this.#hasStopped) return undefined
    if (this.#found !== undefined) return this.#nextIndexed(this.#found)
    if (this.#watch.isOther) return undefined
    const chunk = readChunk(this.path, this.#file)
    if (!this.#watch.read(chunk) || chunk.length === 0) return undefined
    this.#checksum.update(chunk)
    this.#position += chunk.length
    this.#isCompressed ??= nameIsCompressed(this.path) || isZstd(chunk)
    const records: Array<LogRecord> = []
    for (const bytes of this.#contents(chunk)) {
      this.#length += bytes.length
      for (const record of this.#index(this.#reader.push(bytes))) records.push(record)
      if (this.outcome !== undefined || this.#broken !== undefined) break
    }
    return records
  }

  /**
   * Decodes a batch of records for the state after the first instant, which a viewer shows first. Needs an existing
   * index; `next` gives the records later. Returns false if nothing is left to prepare.
   *
   * @throws LogFileError if the file cannot be read, IndexMisfitError if the index does not belong to the log
   */
  prepareBeginning(): boolean {
    return this.#found?.prepare((this.#beginning ??= this.#found.seqAt(0))) ?? false
  }

  /** Ends the reading, because the file will not grow. Returns the records after the last seal, and the outcome. */
  finish(): { readonly records: ReadonlyArray<LogRecord>; readonly outcome: LogOutcome } {
    if (this.#outcome !== undefined) return { records: [], outcome: this.#outcome }
    if (this.#found !== undefined) return { records: [], outcome: (this.#outcome = this.#found.index.outcome) }
    const { records, outcome } = this.#reader.end(this.#brokenChunks ?? this.#unfinishedFrame())
    this.#outcome = outcome
    const indexed = this.#index(records)
    this.#keep()
    return { records: indexed, outcome }
  }

  /** Returns the index of the records read so far; undefined before the header. */
  index(): LogIndex | undefined {
    if (this.#found !== undefined) return this.#found.index
    if (this.#records === 0) return undefined
    const soFar = { records: this.#records, sealed: this.#sealed, bytes: this.#length }
    const outcome = this.#broken === undefined ? this.outcome : undefined
    return this.#builder.index(
      outcome === undefined || outcome.records !== this.#records ? { status: 'unsealed', ...soFar } : outcome,
    )
  }

  /** Returns a seeker for the records read so far; undefined before the header. */
  seeker(): LogSeeker | undefined {
    const index = this.index()
    return this.#found ?? (index && new LogSeeker(index, this.read, sha256))
  }

  /**
   * Returns the change of the file. `written`: there is more to read, or may be later. `same`: no change can be seen.
   * `changed`: the file must be read again from the start. In a file that is still written, a change by another program
   * is noticed only at the end of the file, or when a state there is requested.
   *
   * @throws LogFileError if the file cannot be read
   */
  watch(): 'written' | 'same' | 'changed' {
    const hasEnded = this.#outcome !== undefined || this.#found !== undefined
    // The lock is looked up before the file: the file then shows all bytes that a writer wrote before its release.
    const mayGrow = !hasEnded && isBeingWritten(this.path)
    const change = this.#watch.look()
    if (change === 'other' || (change === 'grown' && hasEnded)) return 'changed'
    return mayGrow || (change === 'grown' && !this.#hasStopped) ? 'written' : 'same'
  }

  close(): void {
    closeRead(this.#file)
  }

  /** True if further bytes of the file would not be read. */
  get #hasStopped(): boolean {
    return this.outcome !== undefined || this.#broken !== undefined || this.#brokenChunks !== undefined
  }

  #seekerBy({ index, frames }: StoredIndex): LogSeeker {
    this.#isCompressed = frames !== null
    this.#frames.splice(0, Infinity, ...(frames ?? []))
    this.#ranges = undefined
    return new LogSeeker(index, this.read, sha256, indexPath(this.path))
  }

  #forgetIndex(): void {
    this.#isCompressed = undefined
    this.#frames.length = 0
    this.#ranges = undefined
  }

  #nextIndexed(seeker: LogSeeker): ReadonlyArray<LogRecord> | undefined {
    const records = seeker.readOn(this.#records)
    this.#records += records.length
    return records.length === 0 ? undefined : records
  }

  *#contents(chunk: Uint8Array): Generator<Uint8Array, void, void> {
    if (this.#isCompressed !== true) return yield chunk
    try {
      for (const { from, to, bytes } of this.#decompressor.push(chunk)) {
        this.#follow({ from, start: this.#length, ...(to === undefined ? {} : { to }) })
        yield bytes
      }
    } catch (error) {
      if (!(error instanceof BrokenChunksError)) throw error
      this.#brokenChunks = error
    }
  }

  /** Notes a piece, which begins a frame or continues the last frame. */
  #follow(piece: Frame): void {
    const last = this.#frames.at(-1)
    if (last?.from === piece.from) this.#frames[this.#frames.length - 1] = { ...piece, start: last.start }
    else this.#frames.push(piece)
  }

  #unfinishedFrame(): BrokenChunksError | undefined {
    try {
      this.#decompressor.end()
      return undefined
    } catch (error) {
      if (!(error instanceof BrokenChunksError)) throw error
      return error
    }
  }

  /** Indexes the records that the reader has just given. Returns the records before the first that cannot follow. */
  #index(records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRecord> {
    for (const [at, record] of records.entries()) {
      try {
        this.#builder.add(record, this.#reader.ends[at])
      } catch (error) {
        if (!(error instanceof FoldError)) throw error
        this.#broken = { error, record }
        return records.slice(0, at)
      }
      this.#records++
      if (record.type === 'seal') this.#sealed = this.#records
    }
    return records
  }

  #keep(): void {
    const isGood = this.#broken === undefined && this.#outcome!.status !== 'corrupt' && this.#records > 0
    const isWanted = this.#keepIndex ?? (this.#position >= WORTH_AN_INDEX || this.#unusable !== undefined)
    if (!isGood || !isWanted || this.wasReplaced) return
    const identity = { size: this.#position, sha256: this.#checksum.digest('hex') }
    const frames = this.#isCompressed === true ? this.#frames : null
    if (!writeIndex(this.path, identity, { index: this.index()!, frames })) return
    this.#indexed = 'made'
    this.#identity = identity
  }
}
