import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { attempt } from './file-error.ts'
import { FoldError } from '../log/fold.ts'
import { identify, indexPath, readIndex, writeIndex } from './index-file.ts'
import { nameIsCompressed, readChunk } from './log-file.ts'
import { type LogIndex, LogIndexBuilder } from '../log/log-index.ts'
import { type Frame, rangesOfFrames, rangesOfPlain, type ReadRange } from './log-ranges.ts'
import { BrokenChunksError, type LogOutcome, LogReader } from '../log/reader.ts'
import type { LogRecord } from '../records/types.ts'
import { LogSeeker } from '../log/seek.ts'
import { sha256 } from './sha256.ts'
import { isBeingWritten } from './writer-lock.ts'
import { FrameDecompressor } from './frame-decompressor.ts'
import { isZstd } from './zstd.ts'

/** Logs of fewer bytes are read anew each time: an index would save nothing that one notices. */
const WORTH_AN_INDEX = 2 ** 22

/** Records that come at once from a log whose index is there. */
const BATCH = 4096

/**
 * Reads a log file piece by piece, in turn with other work and while it is still being written, and finds any state in what
 * was read so far. A log that has its index beside it is not checked again, and any state of it is found at once.
 */
export class LogFollower {
  readonly path: string
  /** Gives bytes of the log, as they are before compression. */
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
  /** Unknown until something was read. */
  #isCompressed: boolean | undefined
  readonly #decompressor = new FrameDecompressor()
  #indexed: 'found' | 'made' | 'in memory' = 'in memory'
  /** Bytes of the file that were read. */
  #position = 0
  /** Bytes of the log that those hold. */
  #length = 0
  #records = 0
  #sealed = 0
  #brokenChunks: BrokenChunksError | undefined
  #broken: { readonly error: FoldError; readonly record: LogRecord } | undefined
  #outcome: LogOutcome | undefined

  /**
   * @param options.keepIndex whether to write the index once the log was read whole; default: for logs of 4 MiB and more
   * @throws LogFileError where the file cannot be opened
   */
  constructor(path: string, options: { readonly keepIndex?: boolean } = {}) {
    this.path = path
    this.#keepIndex = options.keepIndex
    this.#file = attempt('read', path, () => openSync(path, 'r'))
    try {
      const found = readIndex(path, identify(path, this.#file))
      if (found === undefined) return
      this.#isCompressed = found.frames !== null
      this.#frames.push(...(found.frames ?? []))
      this.#indexed = 'found'
      this.#found = new LogSeeker(found.index, this.read, sha256, indexPath(path))
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  /** Whether the index was there already, was made and kept beside the log, or is in memory only. */
  get indexed(): 'found' | 'made' | 'in memory' {
    return this.#indexed
  }
  /** Records given so far. */
  get records(): number {
    return this.#records
  }
  /** Share of the file that was read, of 1. */
  get progress(): number {
    if (this.#found !== undefined) return this.#records / this.#found.index.records
    const { size } = attempt('read', this.path, () => fstatSync(this.#file))
    return size === 0 ? 1 : Math.min(1, this.#position / size)
  }
  /** The first record that cannot follow those before it, and why: nothing is read beyond. */
  get broken(): { readonly error: FoldError; readonly record: LogRecord } | undefined {
    return this.#broken
  }
  /** How the log ended: after `finish`, or as soon as it is found corrupt. */
  get outcome(): LogOutcome | undefined {
    return this.#outcome ?? this.#reader.outcome
  }

  /**
   * Reads on; records come once a seal covers them. Undefined where there is nothing more to read now.
   *
   * @throws LogFileError where the file cannot be read
   */
  next(): ReadonlyArray<LogRecord> | undefined {
    if (this.outcome !== undefined || this.#broken !== undefined || this.#brokenChunks !== undefined) return undefined
    if (this.#found !== undefined) return this.#nextIndexed(this.#found)
    const chunk = readChunk(this.path, this.#file)
    if (chunk.length === 0) return undefined
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

  /** Says that the file will not grow: gives the records after the last seal, and how the log ended. */
  finish(): { readonly records: ReadonlyArray<LogRecord>; readonly outcome: LogOutcome } {
    if (this.#outcome !== undefined) return { records: [], outcome: this.#outcome }
    if (this.#found !== undefined) return { records: [], outcome: (this.#outcome = this.#found.index.outcome) }
    const { records, outcome } = this.#reader.end(this.#brokenChunks ?? this.#unfinishedFrame())
    this.#outcome = outcome
    const indexed = this.#index(records)
    this.#keep()
    return { records: indexed, outcome }
  }

  /** Where things are in what was read so far; undefined before the header. */
  index(): LogIndex | undefined {
    if (this.#found !== undefined) return this.#found.index
    if (this.#records === 0) return undefined
    const soFar = { records: this.#records, sealed: this.#sealed, bytes: this.#length }
    const outcome = this.#broken === undefined ? this.outcome : undefined
    return this.#builder.index(
      outcome === undefined || outcome.records !== this.#records ? { status: 'unsealed', ...soFar } : outcome,
    )
  }

  /** Finds states in what was read so far; undefined before the header. */
  seeker(): LogSeeker | undefined {
    const index = this.index()
    return this.#found ?? (index && new LogSeeker(index, this.read, sha256))
  }

  /** What became of the file: `written`, and may grow; `same` as far as can be seen; `changed`, to be read anew from its start. */
  watch(): 'written' | 'same' | 'changed' {
    const now = statSync(this.path, { throwIfNoEntry: false })
    const own = fstatSync(this.#file)
    if (now === undefined) return 'same'
    const read = this.#found === undefined ? this.#position : own.size
    if (now.ino !== own.ino || now.dev !== own.dev || now.size < read) return 'changed'
    if (isBeingWritten(this.path)) return this.#outcome === undefined ? 'written' : 'changed'
    return now.size > read && this.#outcome !== undefined ? 'changed' : 'same'
  }

  close(): void {
    closeSync(this.#file)
  }

  #nextIndexed(seeker: LogSeeker): ReadonlyArray<LogRecord> | undefined {
    const records = [...seeker.records(this.#records, this.#records + BATCH)]
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

  /** A piece begins its frame, or goes on with it. */
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

  /** Those of what the reader has just given that can follow. */
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
    const identity = identify(this.path, this.#file)
    if (!isGood || identity.size !== this.#position || !(this.#keepIndex ?? identity.size >= WORTH_AN_INDEX)) return
    if (
      writeIndex(this.path, this.index()!, { ...identity, frames: this.#isCompressed === true ? this.#frames : null })
    )
      this.#indexed = 'made'
  }
}
