import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { TraceError } from './errors.ts'

/** A file as it is on disk. */
export interface TraceFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** SHA-256 (hex) of `bytes`. */
  readonly sha256: string
}

/** @throws TraceError where the file cannot be read */
export function readTraceFile(path: string): TraceFile {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new TraceError({ file: path, found: `no readable file (${reason(error)})`, expected: 'a job log in SWF, as it is or compressed (.gz, .zst)' })
  }
  return { path, bytes, sha256: sha256(bytes) }
}

/**
 * The file's contents, decompressed where they are gzip or zstd; its first bytes tell, not its name.
 *
 * @throws TraceError where the compressed data is damaged
 */
export function traceText(file: TraceFile): Uint8Array {
  try {
    if (startsWith(file.bytes, [0x1f, 0x8b])) return gunzipSync(file.bytes)
    if (startsWith(file.bytes, zstdMagic)) return decompressZstd(file.bytes)
  } catch (error) {
    throw new TraceError({ file: file.path, found: `damaged compressed data (${reason(error)})`, expected: 'a whole gzip or zstd file' })
  }
  return file.bytes
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]

/** Node's decoder stops after one frame without a word: so frame by frame. */
function decompressZstd(bytes: Uint8Array): Uint8Array {
  const frames: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; ) {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), { info: true }) as unknown as { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }
    frames.push(buffer)
    at += engine.bytesWritten
  }
  return Buffer.concat(frames)
}

function startsWith(bytes: Uint8Array, magic: ReadonlyArray<number>): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}
