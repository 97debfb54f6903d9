import { openSync, readSync } from 'node:fs'
import { attempt, closeRead, sha256 } from './files.ts'
import { isStream, OutputFile, type OutputMode } from './output-file.ts'
import { type LogOutcome, readLog } from '../log/reader.ts'
import type { LogRecord } from '../records/types.ts'
import { FrameDecompressor } from './frame-decompressor.ts'
import { compressFrame, isZstd } from './zstd-frame.ts'
import { describeOutcome, differenceBetween } from '../log/descriptions.ts'

const CHUNK = 1 << 16

/** Receives the number of bytes of a file that the caller has taken so far. */
type OnRead = (bytes: number) => void

/**
 * Yields the records of a log file, plain or compressed, with every check of `readLog`, and returns the outcome.
 *
 * @param onRead receives the number of bytes of the file that the caller has taken, before each further read
 * @throws LogFileError at the first `next()` if the file cannot be read
 */
export function readLogFile(path: string, onRead?: OnRead): Generator<LogRecord, LogOutcome, void> {
  return readLog(openLogFile(path, onRead), sha256)
}

/**
 * Yields the bytes of a log file for `readLog`, decompressed if the name ends in `.zst` or a zstd frame comes first.
 *
 * @param onRead receives the number of bytes of the file that the caller has taken, before each further read
 * @throws LogFileError at the first `next()` if the file cannot be read
 * @throws BrokenChunksError at a broken frame of a compressed log, after the chunks before the frame
 */
export function* openLogFile(path: string, onRead?: OnRead): Generator<Uint8Array, void, void> {
  for (const { bytes } of fileChunks(path, onRead)) yield bytes
}

/**
 * Bytes of an uncompressed log. `fileEnd`: length of the file up to the end of these bytes; undefined if the bytes end
 * inside of a compressed frame.
 */
interface LogFileChunk {
  readonly bytes: Uint8Array
  readonly fileEnd: number | undefined
}

/** Yields the bytes of a log file, decompressed, each chunk with its end in the file. Throws like `openLogFile`. */
function* fileChunks(path: string, onRead?: OnRead): Generator<LogFileChunk, void, void> {
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    const first = readChunk(path, file)
    const chunks = chunksFrom(first, path, file, onRead)
    const whole = nameIsCompressed(path) || isZstd(first) ? decompressedChunks(chunks) : plainChunks(chunks)
    for (const chunk of whole) yield chunk
  } finally {
    closeRead(file)
  }
}

/** Returns true if the name of a log file ends in `.zst`, or the file begins with a zstd frame. */
export function isCompressed(path: string): boolean {
  if (nameIsCompressed(path)) return true
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    return isZstd(readChunk(path, file))
  } finally {
    closeRead(file)
  }
}

/** Log file that is open for writing. No other process of this program can write an open log file. */
export interface LogFile {
  readonly path: string
  /** Appends a chunk to the file; the sink of a `LogWriter`. @throws LogFileError if the bytes cannot be written */
  readonly write: (chunk: Uint8Array) => void
  /** Closes the file. @throws LogFileError if writing fails, or the file was deleted, replaced or changed meanwhile */
  close(): void
}

/**
 * Time at which the bytes of a log file are forced onto the disk, where they survive a crash of the machine. `record`
 * and `seal`: after each chunk of the `LogWriter`, before the call that wrote the chunk returns. A `LogWriter` for
 * `record` needs the option `chunks: 'record'`. `end`: when the log file is closed. `none`: when the operating system
 * chooses.
 */
export type Sync = 'record' | 'seal' | 'end' | 'none'

const SYNCED_AT = { record: 'write', seal: 'write', end: 'end', none: 'never' } as const

/**
 * Makes a log file and opens the file for writing. In a compressed file, every written chunk becomes a frame. Until the
 * file is closed, the lock `PATH.lock` prevents other processes from writing the log; the lock of a dead process
 * is taken over. A pipe or device is written without a lock.
 *
 * @param options.zstd true to compress; by default true if the name ends in `.zst`
 * @param options.force true to overwrite an existing file
 * @param options.sync time at which bytes are forced onto the disk, by default `end`
 * @throws LogFileError if the file cannot be made; the reason is `exists` for an existing file, and `locked` if another
 *   process writes the file
 */
export function createLogFile(
  path: string,
  options: { readonly zstd?: boolean; readonly force?: boolean; readonly sync?: Sync } = {},
): LogFile {
  const zstd = options.zstd ?? nameIsCompressed(path)
  const output = openOutput(path, options.force === true ? 'overwrite' : 'create', options.sync)
  return { path, write: (chunk) => output.write(zstd ? compressFrame(chunk) : chunk), close: () => output.close() }
}

function openOutput(path: string, mode: OutputMode, sync: Sync = 'end'): OutputFile {
  return new OutputFile(path, mode, SYNCED_AT[sync])
}

export function nameIsCompressed(path: string): boolean {
  return path.endsWith('.zst')
}

function* decompressedChunks(chunks: Iterable<Uint8Array>): Generator<LogFileChunk, void, void> {
  const decompressor = new FrameDecompressor()
  for (const chunk of chunks) for (const { bytes, to } of decompressor.push(chunk)) yield { bytes, fileEnd: to }
  decompressor.end()
}

function* plainChunks(chunks: Iterable<Uint8Array>): Generator<LogFileChunk, void, void> {
  let fileEnd = 0
  for (const bytes of chunks) {
    fileEnd += bytes.length
    yield { bytes, fileEnd }
  }
}

function* chunksFrom(
  first: Uint8Array,
  path: string,
  file: number,
  onRead?: OnRead,
): Generator<Uint8Array, void, void> {
  let read = 0
  for (let chunk = first; chunk.length > 0; chunk = readChunk(path, file)) {
    onRead?.(read)
    read += chunk.length
    yield chunk
  }
}

export function readChunk(path: string, file: number): Uint8Array {
  const chunk = new Uint8Array(CHUNK)
  return chunk.subarray(
    0,
    attempt('read', path, () => readSync(file, chunk)),
  )
}

/** Log file of a run that was cut off, open for writing the rest of the log. */
export interface ResumedLogFile extends LogFile {
  /** Outcome of reading the log before any byte was appended. */
  readonly found: LogOutcome
}

/** Error for a log file that cannot be continued. A ResumeError comes before any change of the file. */
export class ResumeError extends Error {
  readonly _tag: 'ResumeError' = 'ResumeError'
  override readonly name: string = 'ResumeError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(`cannot continue ${path}, which is unchanged: ${reason}`)
    this.path = path
  }
}

/**
 * Opens the log file of a run that was cut off. The caller repeats the run from its start. `write` compares the given
 * bytes with the existing bytes of the log, and appends the bytes that the log lacks. A torn last line or frame is cut
 * off before the first byte is appended, and stays if no byte is appended. `resumeLogFile` takes a missing file for an
 * empty log.
 *
 * @param options.sync time at which bytes are forced onto the disk, by default `end`
 * @throws LogFileError if the file cannot be opened, or another process writes the file. `write` and `close` throw
 *   LogFileError if the bytes cannot be written, or another program changed the file
 * @throws ResumeError if the path is a pipe or device, or the log is corrupt. `write` throws ResumeError if the
 *   existing bytes differ from the given bytes; the message names the first record that differs
 */
export function resumeLogFile(path: string, options: { readonly sync?: Sync } = {}): ResumedLogFile {
  if (isStream(path))
    throw new ResumeError(path, 'a pipe or device keeps no bytes that could be continued; give the path of a file')
  const output = openOutput(path, 'append', options.sync)
  try {
    const { found, goodPart } = examine(path)
    if (found.status === 'corrupt') throw new ResumeError(path, describeOutcome(found))
    return { path, found, write: appendMissing(output, goodPart, isCompressed(path)), close: () => output.close() }
  } catch (error) {
    output.close()
    throw error
  }
}

/** Lengths of the part of a log file without a torn end: bytes of the uncompressed log, and bytes of the file. */
interface GoodPart {
  readonly bytes: number
  readonly fileBytes: number
}

function examine(path: string): { readonly found: LogOutcome; readonly goodPart: GoodPart } {
  let whole: GoodPart = { bytes: 0, fileBytes: 0 }
  let length = 0
  function* counted(): Generator<Uint8Array, void, void> {
    for (const { bytes, fileEnd } of fileChunks(path)) {
      length += bytes.length
      if (fileEnd !== undefined) whole = { bytes: length, fileBytes: fileEnd }
      yield bytes
    }
  }
  const records = readLog(counted(), sha256)
  let next = records.next()
  while (next.done !== true) next = records.next()
  const found = next.value
  // A torn last line of a plain log is cut off. Whole frames stay, even if another program cut lines across frames.
  return { found, goodPart: isCompressed(path) ? whole : { bytes: found.bytes, fileBytes: found.bytes } }
}

function appendMissing(output: OutputFile, goodPart: GoodPart, zstd: boolean): (chunk: Uint8Array) => void {
  const there = new ByteSource(openLogFile(output.path))
  let offset = 0
  let isCut = false
  return (chunk) => {
    const common = Math.min(chunk.length, goodPart.bytes - offset)
    if (common > 0) compare(output.path, there, chunk.subarray(0, common), chunk, offset)
    offset += common
    if (common === chunk.length) return
    if (!isCut) output.truncate(goodPart.fileBytes)
    isCut = true
    const missing = chunk.subarray(common)
    output.write(zstd ? compressFrame(missing) : missing)
  }
}

const LF = 10

/** @param expected first bytes of `chunk`, which the existing log must have at `offset` */
function compare(path: string, there: ByteSource, expected: Uint8Array, chunk: Uint8Array, offset: number): void {
  const found = there.take(expected.length)
  if (Buffer.compare(found, expected) === 0) return
  const at = expected.findIndex((byte, i) => byte !== found[i])
  const lineStart = at === 0 ? 0 : expected.lastIndexOf(LF, at - 1) + 1
  const here = Buffer.from(chunk.subarray(lineStart, chunk.indexOf(LF, at))).toString('latin1')
  const foundEnd = found.indexOf(LF, at)
  const foundLine =
    foundEnd >= 0 ? found.subarray(lineStart, foundEnd) : Buffer.concat([found.subarray(lineStart), there.takeLine()])
  const seq = /^\{"seq":(\d+)/.exec(here)?.[1]
  throw new ResumeError(
    path,
    `the file is the log of another run: record ${seq}, at byte ${offset + lineStart}, differs: ${differenceBetween(Buffer.from(foundLine).toString('latin1'), here)}`,
  )
}

/** Reader of the bytes of an iterable of chunks, in portions of any size. */
class ByteSource {
  readonly #chunks: Iterator<Uint8Array>
  #next: Uint8Array = new Uint8Array(0)

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** Returns the next `count` bytes; fewer bytes at the end of the chunks. */
  take(count: number): Uint8Array {
    const parts: Uint8Array[] = []
    for (let missing = count; missing > 0 && this.#fill();) {
      const part = this.#next.subarray(0, missing)
      this.#next = this.#next.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }

  /** Returns the bytes before the next LF, or all bytes if no LF follows. The LF itself stays unread. */
  takeLine(): Uint8Array {
    const parts: Uint8Array[] = []
    while (this.#fill()) {
      const end = this.#next.indexOf(LF)
      parts.push(this.take(end < 0 ? this.#next.length : end))
      if (end >= 0) break
    }
    return Buffer.concat(parts)
  }

  #fill(): boolean {
    while (this.#next.length === 0) {
      const { done, value } = this.#chunks.next()
      if (done === true) return false
      this.#next = value
    }
    return true
  }
}
