import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { TraceError } from '../errors.ts'
import { jobLogForms } from '../load-workload.ts'
import { MAX_BYTES } from '../text.ts'

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
  let bytes: Uint8Array
  try {
    bytes = readAtMost(path, MAX_BYTES)
  } catch (error) {
    if (error instanceof TraceError) throw error
    throw new TraceError({
      file: path,
      found: `no readable file (${reason(error)})`,
      expected: `${jobLogForms}, as it is or compressed (.gz, .zst)`,
    })
  }
  return { path, bytes, sha256: sha256(bytes) }
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

function tooLarge(path: string): TraceError {
  return new TraceError({
    file: path,
    found: `more than ${MAX_BYTES} bytes`,
    expected: `a trace of at most ${MAX_BYTES} bytes when decompressed`,
  })
}

/**
 * Returns the contents of a file, decompressed if the first bytes, not the name, mark the file as gzip or zstd.
 *
 * @throws TraceError if the compressed data is damaged, or has more than 2^30 bytes when decompressed
 */
export function traceText(file: TraceFile): Uint8Array {
  try {
    if (startsWith(file.bytes, [0x1f, 0x8b])) return gunzipSync(file.bytes, { maxOutputLength: MAX_BYTES })
    if (isZstd(file.bytes)) return decompressZstd(file.bytes)
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(file.path)
    throw new TraceError({
      file: file.path,
      found: `damaged compressed data (${reason(error)})`,
      expected: 'a whole gzip or zstd file',
    })
  }
  return file.bytes
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

const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]
/** Second to fourth byte of a skippable zstd frame. The first byte is 0x50 to 0x5f. */
const skippableMagic = [0x2a, 0x4d, 0x18]

/** Recognises a zstd frame or a skippable frame (RFC 8878, 3.1.2). Files of pzstd begin with a skippable frame. */
function isZstd(bytes: Uint8Array): boolean {
  return startsWith(bytes, zstdMagic) || (bytes[0] >> 4 === 5 && startsWith(bytes.subarray(1), skippableMagic))
}

/** Decompresses zstd data frame by frame, because Node's decoder silently stops after one frame. */
function decompressZstd(bytes: Uint8Array): Uint8Array {
  const frames: Array<Uint8Array> = []
  let length = 0
  for (let at = 0; at < bytes.length;) {
    // Node treats a limit of 0 bytes as no limit given, so the limit is at least 1 byte.
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), {
      info: true,
      maxOutputLength: Math.max(MAX_BYTES - length, 1),
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
