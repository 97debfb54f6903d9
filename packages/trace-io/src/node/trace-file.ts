import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { TraceError } from '../errors.ts'
import { jobLogForms, tooLarge } from '../load-workload.ts'
import { EXPECTED_ENCODING, MAX_BYTES, otherEncoding } from '../text.ts'

const CHUNK = 2 ** 20

/** File of a trace with its bytes as stored on disk, before decompression. */
export interface TraceFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** SHA-256 (hex) of `bytes`. */
  readonly sha256: string
}

/** Reads a file of at most 2^30 bytes. @throws TraceError if the file is larger or cannot be read */
export function readTraceFile(path: string): TraceFile {
  const bytes = readable(path, () => readAtMost(path, MAX_BYTES))
  return { path, bytes, sha256: sha256(bytes) }
}

/** Reads the first `length` bytes of a file. @throws TraceError if the file cannot be read */
export function firstBytes(path: string, length: number): Uint8Array {
  return readable(path, () => {
    const file = openSync(path, 'r')
    try {
      const bytes = new Uint8Array(length)
      return bytes.subarray(0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  })
}

/** Returns the result of `read`. @throws TraceError if `read` throws */
export function readable<A>(path: string, read: () => A): A {
  try {
    return read()
  } catch (error) {
    if (error instanceof TraceError) throw error
    throw new TraceError({
      file: path,
      found: `no readable file (${reason(error)})`,
      expected: `${jobLogForms}, as it is or compressed (.gz, .zst)`,
    })
  }
}

/** The limit on the bytes also ends the reading of a file without end, such as a device or a pipe. */
function readAtMost(path: string, limit: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size > limit) throw tooLarge(path)
    const chunks: Array<Uint8Array> = []
    for (let length = 0; length <= limit;) {
      const chunk = new Uint8Array(Math.max(size - length, CHUNK))
      const read = readSync(file, chunk)
      if (read === 0) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
      length += read
      chunks.push(read === chunk.length || read === size ? chunk.subarray(0, read) : chunk.slice(0, read))
    }
    throw tooLarge(path)
  } finally {
    closeSync(file)
  }
}

/** Most bytes of contents for each compressed byte. Job logs have about ten. */
const MAX_EXPANSION = 1000
/** Bytes of contents that are allowed for any compressed file. */
const LEAST_LIMIT: number = 2 ** 26

/**
 * Returns the contents of a file, decompressed if the first bytes, not the name, mark the file as gzip or zstd.
 *
 * @throws TraceError if the compressed data is damaged, if the contents are in UTF-16, or if the contents have more than
 *   2^30 bytes or, beyond 2^26 bytes, more than a thousand times the bytes of the file
 */
export function traceText(file: TraceFile): Uint8Array {
  const text = decompressed(file)
  checkEncoding(file.path, text)
  return text
}

/** @throws TraceError if the bytes begin like UTF-16 */
export function checkEncoding(file: string, text: Uint8Array): void {
  const found = otherEncoding(text)
  if (found !== undefined) throw new TraceError({ file, found, expected: EXPECTED_ENCODING })
}

function decompressed(file: TraceFile): Uint8Array {
  const limit = Math.min(MAX_BYTES, Math.max(LEAST_LIMIT, MAX_EXPANSION * file.bytes.length))
  try {
    if (isGzip(file.bytes)) return gunzipSync(file.bytes, { maxOutputLength: limit })
    if (isZstd(file.bytes)) return decompressZstd(file.bytes, limit)
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(file.path, limit, file.bytes.length)
    throw damaged(file.path, error)
  }
  return file.bytes
}

export function damaged(file: string, error: unknown): TraceError {
  const found = `damaged compressed data (${reason(error)})`
  return new TraceError({ file, found, expected: 'a whole gzip or zstd file' })
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return ('code' in error ? systemReasons[String(error.code)] : undefined) ?? error.message
}

const systemReasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'permission denied',
}

export function isGzip(bytes: Uint8Array): boolean {
  return startsWith(bytes, [0x1f, 0x8b])
}

const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]
/** Second to fourth byte of a skippable zstd frame. The first byte is 0x50 to 0x5f. */
const skippableMagic = [0x2a, 0x4d, 0x18]

/** Recognises a zstd frame or a skippable frame (RFC 8878, 3.1.2). Files of pzstd begin with a skippable frame. */
export function isZstd(bytes: Uint8Array): boolean {
  return startsWith(bytes, zstdMagic) || (bytes[0] >> 4 === 5 && startsWith(bytes.subarray(1), skippableMagic))
}

/** Decompresses zstd data frame by frame, because Node's decoder silently stops after one frame. */
function decompressZstd(bytes: Uint8Array, limit: number): Uint8Array {
  const frames: Array<Uint8Array> = []
  let length = 0
  for (let at = 0; at < bytes.length;) {
    // Node treats a limit of 0 bytes as no limit given, so the limit is at least 1 byte.
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), {
      info: true,
      maxOutputLength: Math.max(limit - length, 1),
    }) as unknown as { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }
    frames.push(buffer)
    length += buffer.length
    at += engine.bytesWritten
  }
  return Buffer.concat(frames)
}

function startsWith(bytes: Uint8Array, magic: ReadonlyArray<number>): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}
