import { createHash } from 'node:crypto'
import { fstatSync } from 'node:fs'
import { attempt, closeRead, FileWatch, openRegular, sha256 } from './files.ts'
import { FoldError } from '../log/machine-state.ts'
import { type Identity, indexPath, type StoredIndex, readIndex, writeIndex } from './index-file.ts'
import { nameIsCompressed, readChunk } from './log-file.ts'
import { type LogIndex, LogIndexBuilder } from '../log/log-index.ts'
import { type Frame, rangesOfFrames, rangesOfPlain, type ReadRange } from './log-ranges.ts'
import { BrokenChunksError, type LogOutcome, LogReader } from '../log/reader.ts'
import type { LogRecord } from '../records/types.ts'
import { LogSeeker } from '../log/seek.ts'
import { isBeingWritten } from './writer-lock.ts'
import { FrameDecompressor } from './frame-decompressor.ts'
import { isZstd } from './zstd-frame.ts'

/** Log size in bytes from which an index file is written by default; a smaller log is read fast without an index. */
const WORTH_AN_INDEX = 2 ** 22

/**
 * Reader of a log file that reads piece by piece, in turn with other work, and even while the file is still being
 * written. A follower finds the state after any record read so far. With a fitting index file beside the log, the
 * records are not checked again one by one, and a state needs only the records before the state.
 */
export class LogFollower {
  readonly path: string
  /** Returns the bytes of the uncompressed log from `from` to `to`, exclusive. */
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
  /** Seq of the last record at t = 0; undefined until the first `prepareBeginning`. */
  #beginning: number | undefined
  readonly #unusable: string | undefined
  readonly #watch: FileWatch
  readonly #checksum = createHash('sha256')
  /** True if the log file is compressed; undefined until bytes of the file or an index were read. */
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
   * @param options.keepIndex true to write the index file after the whole log was read; by default, the file is written
   *   for a log of 4 MiB or more, and if an existing index file is unusable
   * @param options.takeIndex false to ignore an existing index file
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

  /** Remark for the user about an unusable index file; undefined if the index file is used or does not exist. */
  get remark(): string | undefined {
    return this.#unusable === undefined
      ? undefined
      : `${indexPath(this.path)} was not used: ${this.#unusable}; the whole log is read`
  }
  /** Origin of the log's index, which is `found` in a file, `made` and written to a file, or only `in memory`. */
  get indexed(): 'found' | 'made' | 'in memory' {
    return this.#indexed
  }
  /** Size and SHA-256 of the log file; undefined until an index file was read or written. */
  get identity(): Identity | undefined {
    return this.#identity
  }
  /** Number of records that `next` and `finish` have returned so far. */
  get records(): number {
    return this.#records
  }
  /** Share of the log read so far, from 0 to 1; 1 for an empty file. */
  get progress(): number {
    if (this.#found !== undefined) return this.#records / this.#found.index.records
    const { size } = attempt('read', this.path, () => fstatSync(this.#file))
    return size === 0 ? 1 : Math.min(1, this.#position / size)
  }
  /** First record that cannot follow the earlier records, with the error. The follower then reads no further record. */
  get broken(): { readonly error: FoldError; readonly record: LogRecord } | undefined {
    return this.#broken
  }
  /** True if the file was found not to begin with the read bytes. The follower then reads no further record. */
  get wasReplaced(): boolean {
    return this.#watch.isOther
  }
  /** Outcome of the log: known after `finish`, or as soon as the log is found corrupt; undefined before. */
  get outcome(): LogOutcome | undefined {
    return this.#outcome ?? this.#reader.outcome
  }

  /**
   * Reads the next chunk of the file. Returns the records up to the last seal in the chunk that were not returned
   * before; undefined if there is nothing more to read now.
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
   * Decodes a batch of the records up to t = 0, because a viewer shows the state after t = 0 first. `LogFollower.next`
   * returns the decoded records later. `prepareBeginning` returns false if all records up to t = 0 are decoded, or if
   * there was no index file.
   *
   * @throws LogFileError if the file cannot be read, IndexMisfitError if the index does not belong to the log
   */
  prepareBeginning(): boolean {
    return this.#found?.prepare((this.#beginning ??= this.#found.seqAt(0))) ?? false
  }

  /** Ends the reading of a file that will not grow. Returns the records after the last seal, and the outcome. */
  finish(): { readonly records: ReadonlyArray<LogRecord>; readonly outcome: LogOutcome } {
    if (this.#outcome !== undefined) return { records: [], outcome: this.#outcome }
    if (this.#found !== undefined) return { records: [], outcome: (this.#outcome = this.#found.index.outcome) }
    const { records, outcome } = this.#reader.end(this.#brokenChunks ?? this.#unfinishedFrame())
    this.#outcome = outcome
    const indexed = this.#index(records)
    this.#keep()
    return { records: indexed, outcome }
  }

  /** Returns the index of the records read so far; undefined if the header was not read yet. */
  index(): LogIndex | undefined {
    if (this.#found !== undefined) return this.#found.index
    if (this.#records === 0) return undefined
    const soFar = { records: this.#records, sealed: this.#sealed, bytes: this.#length }
    const outcome = this.#broken === undefined ? this.outcome : undefined
    return this.#builder.index(
      outcome === undefined || outcome.records !== this.#records ? { status: 'unsealed', ...soFar } : outcome,
    )
  }

  /** Returns a seeker for the records read so far; undefined if the header was not read yet. */
  seeker(): LogSeeker | undefined {
    const index = this.index()
    return this.#found ?? (index && new LogSeeker(index, this.read, sha256))
  }

  /**
   * Returns the change of the file since it was read. `written`: the file has more bytes to read, or a process still
   * writes the file. `same`: no change was found. `changed`: the file must be read again from the start. While a
   * process writes the file, a change by another program is noticed only in the last read bytes, or when a state from
   * the changed bytes is requested.
   *
   * @throws LogFileError if the file cannot be read
   */
  watch(): 'written' | 'same' | 'changed' {
    const hasEnded = this.#outcome !== undefined || this.#found !== undefined
    // The lock is read before the size of the file. If the lock is gone, the size includes all bytes that the writer
    // wrote before it released the lock.
    const mayGrow = !hasEnded && isBeingWritten(this.path)
    const change = this.#watch.look()
    if (change === 'other' || (change === 'grown' && hasEnded)) return 'changed'
    return mayGrow || (change === 'grown' && !this.#hasStopped) ? 'written' : 'same'
  }

  close(): void {
    closeRead(this.#file)
  }

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

  /** Adds a decompressed piece to `#frames`: the piece begins a frame, or continues the last frame. */
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

  /** Adds records to the index; returns the records before the first record that cannot follow the earlier records. */
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
