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
 * Reads a log file, plain or compressed, with every check of `readLog`.
 *
 * @throws LogFileError at the first `next()` where the file cannot be read
 */
export function readLogFile(path: string): Generator<LogRecord, LogOutcome, void> {
  return readLog(openLogFile(path), sha256)
}

/**
 * The bytes of a log file for `readLog`, decompressed where it is compressed (by its first bytes, or a name in `.zst`).
 *
 * @throws LogFileError at the first `next()` where the file cannot be read
 * @throws BrokenChunksError after the chunks before a broken frame
 */
export function* openLogFile(path: string): Generator<Uint8Array, void, void> {
  for (const { bytes } of fileChunks(path)) yield bytes
}

/** Bytes of a log, and where those that hold them end in its file; undefined where that is inside of a compressed frame. */
export interface LogFileChunk {
  readonly bytes: Uint8Array
  readonly fileEnd: number | undefined
}

/** As `openLogFile`. */
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

/** Whether a log file is compressed, or would be if it had any bytes. */
export function isCompressed(path: string): boolean {
  if (nameIsCompressed(path)) return true
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    return isZstd(readChunk(path, file))
  } finally {
    closeRead(file)
  }
}

/** A log file being written. No other process can write it meanwhile. */
export interface LogFile {
  readonly path: string
  /** The sink for a `LogWriter`. @throws LogFileError where nothing more can be written */
  readonly write: (chunk: Uint8Array) => void
  /** @throws LogFileError where the last bytes could not be kept, or the file was deleted or replaced meanwhile */
  close(): void
}

/**
 * What of a log is on the disk itself, to outlast a crash of the machine: each `record` or `seal` before the call that wrote it
 * returns, all at the `end`, or whatever the operating system has put there by itself (`none`). For `record` the `LogWriter`
 * has to give its records one by one.
 */
export type Sync = 'record' | 'seal' | 'end' | 'none'

const SYNCED_AT = { record: 'write', seal: 'write', end: 'end', none: 'never' } as const

/**
 * Makes a log file. Compressed, every chunk written becomes a frame of its own. Until it is closed, `PATH.lock` keeps other
 * writers away; one that a dead process left is taken over. A pipe or device is written as it is.
 *
 * @param options.zstd compress; the default goes by a name in `.zst`
 * @param options.force overwrite a file that exists
 * @param options.sync the default is `end`
 * @throws LogFileError where it cannot be made, `exists`, or is `locked`: another process writes it
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

/** @param first what was read already */
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
