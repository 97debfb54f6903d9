import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { attempt } from './file-error.ts'
import { LogIndex, LogIndexBuilder } from './log-index.ts'
import { chunksFrom, readChunk } from './log-file.ts'
import { type LogOutcome, readLog } from './reader.ts'
import { RecordError } from './record-error.ts'
import { LogSeeker } from './seek.ts'
import { sha256 } from './sha256.ts'
import { compressFrame, decompress, decompressFrames, isZstd } from './zstd.ts'

/** Bytes at the end of a log file by which its index knows it again. */
const TAIL = 4096

/** Logs of fewer bytes are read anew each time: an index would save nothing that one notices. */
const WORTH_AN_INDEX = 2 ** 22

/** Where a compressed log's frames lie: in the file, and in what they hold. */
interface Frame {
  readonly from: number
  readonly to: number
  /** First byte of the log that it holds. */
  readonly start: number
}

/** What the index file holds besides the index: whose index it is, and where the frames are. */
interface Identity {
  readonly size: number
  readonly tail: string
  readonly frames: ReadonlyArray<Frame> | null
}

/** A log file in which any state is found quickly. */
export class SeekableLog extends LogSeeker {
  /** Whether the index was there already, was made and kept beside the log, or is in memory only. */
  readonly indexed: 'found' | 'made' | 'in memory'
  readonly #file: number

  constructor(index: LogIndex, file: number, read: (from: number, to: number) => Uint8Array, indexed: SeekableLog['indexed']) {
    super(index, read, sha256)
    this.#file = file
    this.indexed = indexed
  }

  /** How the log ended when it was opened. */
  get outcome(): LogOutcome { return this.index.outcome }

  close(): void { closeSync(this.#file) }
}

/** The file in which a log's index is kept: may be deleted at any time. */
export function indexPath(log: string): string {
  return `${log}.index`
}

/**
 * Opens a log for seeking. The first time it is read whole and checked as `readLog` does, and its index is kept beside it,
 * where the log is not small and that folder can be written; an index that is damaged or of another state of the log is made anew.
 *
 * @param options.keepIndex whether to write the index; default: for logs of 4 MiB and more
 * @throws LogFileError where the file cannot be read
 * @throws RecordError where the log is corrupt, or holds no record at all
 * @throws FoldError where a record cannot follow those before it
 */
export function openSeekableLog(path: string, options: { readonly keepIndex?: boolean } = {}): SeekableLog {
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    const identity = identify(path, file)
    const found = readIndex(path, identity)
    if (found !== undefined) return new SeekableLog(found.index, file, reader(path, file, found.frames), 'found')
    const { index, frames } = makeIndex(path, file)
    const kept = (options.keepIndex ?? identity.size >= WORTH_AN_INDEX) && writeIndex(path, index, { ...identity, frames })
    return new SeekableLog(index, file, reader(path, file, frames), kept ? 'made' : 'in memory')
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function identify(path: string, file: number): Omit<Identity, 'frames'> {
  return attempt('read', path, () => {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(TAIL, size))
    readSync(file, tail, 0, tail.length, size - tail.length)
    return { size, tail: tail.toString('base64') }
  })
}

function makeIndex(path: string, file: number): { readonly index: LogIndex; readonly frames: ReadonlyArray<Frame> | null } {
  const first = readChunk(path, file)
  const chunks = chunksFrom(first, path, file)
  const compressed = path.endsWith('.zst') || isZstd(first)
  const frames: Array<Frame> = []
  const builder = new LogIndexBuilder()
  const log = readLog(compressed ? framed(chunks, frames) : chunks, sha256)
  for (let next = log.next(); ; next = log.next()) {
    if (next.done !== true) builder.add(next.value)
    else {
      const outcome = next.value
      if (outcome.status === 'corrupt') throw new RecordError(`${path} is corrupt at byte ${outcome.offset}, line ${outcome.line}: ${outcome.reason}`)
      if (outcome.records === 0) throw new RecordError(`${path} holds no record`)
      return { index: builder.index(outcome), frames: compressed ? frames : null }
    }
  }
}

function* framed(chunks: Iterable<Uint8Array>, frames: Array<Frame>): Generator<Uint8Array, void> {
  let start = 0
  for (const chunk of decompressFrames(chunks, (from, to) => frames.push({ from, to, start }))) {
    start += chunk.length
    yield chunk
  }
}

function reader(path: string, file: number, frames: ReadonlyArray<Frame> | null): (from: number, to: number) => Uint8Array {
  const read = (from: number, to: number): Buffer => attempt('read', path, () => {
    const bytes = Buffer.alloc(to - from)
    for (let at = 0; at < bytes.length;) {
      const length = readSync(file, bytes, at, bytes.length - at, from + at)
      if (length === 0) throw new RecordError(`${path} ends at byte ${from + at}: it is shorter than when it was indexed`)
      at += length
    }
    return bytes
  })
  if (frames === null) return read
  return (from, to) => {
    const parts: Array<Uint8Array> = []
    for (let at = frameAt(frames, from); at < frames.length && frames[at].start < to; at++) {
      const { from: first, to: end, start } = frames[at]
      const content = decompress(read(first, end), first)
      parts.push(content.subarray(Math.max(0, from - start), to - start))
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }
}

/** The last frame that begins at or before a byte of the log. */
function frameAt(frames: ReadonlyArray<Frame>, byte: number): number {
  let low = 0
  for (let high = frames.length; low < high;) {
    const middle = (low + high) >>> 1
    if (frames[middle].start <= byte) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Undefined where there is no index, or none that is this log's. */
function readIndex(path: string, { size, tail }: Omit<Identity, 'frames'>): { readonly index: LogIndex; readonly frames: Identity['frames'] } | undefined {
  try {
    const text = Buffer.from(decompress(readFileSync(indexPath(path)), 0)).toString('latin1')
    const lineEnd = text.indexOf('\n')
    const identity = JSON.parse(text.slice(0, lineEnd)) as Identity
    if (identity.size !== size || identity.tail !== tail) return undefined
    const index = LogIndex.decode(text.slice(lineEnd + 1))
    return index && { index, frames: identity.frames }
  } catch {
    return undefined
  }
}

/** Whole or not at all. False where it cannot be kept: a folder for reading only, a full disk. */
function writeIndex(path: string, index: LogIndex, identity: Identity): boolean {
  const unfinished = `${indexPath(path)}.${process.pid}`
  try {
    writeFileSync(unfinished, compressFrame(Buffer.from(`${JSON.stringify(identity)}\n${index.encode()}`, 'latin1')))
    renameSync(unfinished, indexPath(path))
    return true
  } catch {
    rmSync(unfinished, { force: true })
    return false
  }
}
