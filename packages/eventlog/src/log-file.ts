import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { attempt } from './file-error.ts'
import { type LogOutcome, readLog } from './reader.ts'
import type { LogRecord } from './record.ts'
import { sha256 } from './sha256.ts'
import { compressFrame, decompressFrames, isZstd } from './zstd.ts'

const CHUNK = 1 << 18

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
  const file = attempt('read', path, () => openSync(path, 'r'))
  try {
    const first = readChunk(path, file)
    const chunks = chunksFrom(first, path, file)
    yield* path.endsWith('.zst') || isZstd(first) ? decompressFrames(chunks) : chunks
  } finally {
    closeSync(file)
  }
}

/** A log file being written. */
export interface LogFile {
  readonly path: string
  /** The sink for a `LogWriter`. @throws LogFileError where nothing more can be written */
  readonly write: (chunk: Uint8Array) => void
  /** @throws LogFileError where the last bytes could not be kept */
  close(): void
}

/**
 * Makes a log file. Compressed, every chunk written becomes a frame of its own.
 *
 * @param options.zstd compress; the default goes by a name in `.zst`
 * @param options.force overwrite a file that exists
 * @throws LogFileError where it cannot be made, or exists
 */
export function createLogFile(path: string, options: { readonly zstd?: boolean; readonly force?: boolean } = {}): LogFile {
  const zstd = options.zstd ?? path.endsWith('.zst')
  const file = attempt('write', path, () => openSync(path, options.force === true ? 'w' : 'wx'))
  return {
    path,
    write: (chunk) => writeWhole(path, file, zstd ? compressFrame(chunk) : chunk),
    close: () => attempt('write', path, () => closeSync(file)),
  }
}

function writeWhole(path: string, file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += attempt('write', path, () => writeSync(file, bytes, at))
}

/** @param first what was read already */
export function* chunksFrom(first: Uint8Array, path: string, file: number): Generator<Uint8Array, void, void> {
  for (let chunk = first; chunk.length > 0; chunk = readChunk(path, file)) yield chunk
}

export function readChunk(path: string, file: number): Uint8Array {
  const chunk = new Uint8Array(CHUNK)
  return chunk.subarray(0, attempt('read', path, () => readSync(file, chunk)))
}
