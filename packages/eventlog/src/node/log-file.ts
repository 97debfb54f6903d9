import { openSync, readSync } from 'node:fs'
import { attempt, closeRead } from './file-error.ts'
import { OutputFile, type OutputMode } from './output-file.ts'
import { type LogOutcome, readLog } from '../log/reader.ts'
import type { LogRecord } from '../records/types.ts'
import { sha256 } from './sha256.ts'
import { FrameDecompressor } from './frame-decompressor.ts'
import { compressFrame, isZstd } from './zstd.ts'

const CHUNK = 1 << 16

/**
 * Yields the records of a log file, plain or compressed, with every check of `readLog`, and returns the outcome.
 *
 * @throws LogFileError at the first `next()` if the file cannot be read
 */
export function readLogFile(path: string): Generator<LogRecord, LogOutcome, void> {
  return readLog(openLogFile(path), sha256)
}

/**
 * Yields the bytes of a log file for `readLog`, decompressed if the name ends in `.zst` or a zstd frame comes first.
 *
 * @throws LogFileError at the first `next()` if the file cannot be read
 * @throws BrokenChunksError at a broken frame of a compressed log, after the chunks before the frame
 */
export function* openLogFile(path: string): Generator<Uint8Array, void, void> {
  for (const { bytes } of fileChunks(path)) yield bytes
}

/**
 * Bytes of an uncompressed log. `fileEnd`: length of the file up to the end of these bytes; undefined if the bytes end
 * inside of a compressed frame.
 */
export interface LogFileChunk {
  readonly bytes: Uint8Array
  readonly fileEnd: number | undefined
}

/** Yields the bytes of a log file, decompressed, each chunk with its end in the file. Throws like `openLogFile`. */
export function* fileChunks(path: string): Generator<LogFileChunk, void, void> {
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    const first = readChunk(path, file)
    const chunks = chunksFrom(first, path, file)
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
 * file is closed, the lock file `PATH.lock` prevents other processes from writing the log; the lock of a dead process
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

export function openOutput(path: string, mode: OutputMode, sync: Sync = 'end'): OutputFile {
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

function* chunksFrom(first: Uint8Array, path: string, file: number): Generator<Uint8Array, void, void> {
  for (let chunk = first; chunk.length > 0; chunk = readChunk(path, file)) yield chunk
}

export function readChunk(path: string, file: number): Uint8Array {
  const chunk = new Uint8Array(CHUNK)
  return chunk.subarray(
    0,
    attempt('read', path, () => readSync(file, chunk)),
  )
}
