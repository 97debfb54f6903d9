import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { Gunzip, ZstdDecompress } from 'minizlib'
import type { OpenTrace } from '../load-workload.ts'
import { checkEncoding, damaged, isGzip, isZstd, readable } from './trace-file.ts'

/** Files of more bytes are read in pieces, because a file and its jobs may not fit into memory together. */
const LARGE: number = 2 ** 22
/** Bytes of a file that are read at once. */
const PIECE: number = 2 ** 16
/** Bytes of a compressed file that are decompressed at once: a byte may stand for thousands of bytes. */
const COMPRESSED_PIECE: number = 2 ** 13
/** Least number of bytes by which the form of a file is recognised. */
const HEAD: number = 2 ** 16

/** Returns true for a file that `openLargeTrace` should open. A pipe has no size, and is read whole. */
export function isLarge(path: string, least: number = LARGE): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size > least
}

/**
 * Opens a file whose contents, decompressed if compressed, are read in pieces.
 *
 * @throws TraceError if the file cannot be read, also while the pieces are read
 */
export function openLargeTrace(path: string): OpenTrace {
  const hash = createHash('sha256')
  const pieces = contents(path, (bytes) => hash.update(bytes))
  const first: Array<Uint8Array> = []
  for (let length = 0; length < HEAD;) {
    const { value } = pieces.next()
    if (value === undefined) break
    first.push(value)
    length += value.length
  }
  const text = Buffer.concat(first)
  checkEncoding(path, text)
  return {
    file: path,
    text,
    more: pieces,
    get sha256() {
      return hash.copy().digest('hex')
    },
  }
}

/** Yields the contents of a file. `onRead` gets all stored bytes in order. */
function* contents(path: string, onRead: (bytes: Uint8Array) => void): Generator<Uint8Array, void, void> {
  const file = readable(path, () => openSync(path, 'r'))
  try {
    const start = Buffer.alloc(4)
    readable(path, () => readSync(file, start, 0, 4, 0))
    const stored = storedBytes(path, file, onRead)
    const pieces = isGzip(start)
      ? decompressed(path, new Gunzip({}), stored(COMPRESSED_PIECE, Infinity))
      : isZstd(start)
        ? decompressedFrames(path, file, stored)
        : stored(PIECE, Infinity)
    for (const bytes of pieces) yield bytes
  } finally {
    closeSync(file)
  }
}

/** Returns a function that yields the next bytes of the file, up to a position, in pieces. */
function storedBytes(path: string, file: number, onRead: (bytes: Uint8Array) => void) {
  let at = 0
  return function* (piece: number, to: number): Generator<Uint8Array, void, void> {
    while (at < to) {
      const bytes = Buffer.alloc(Math.min(piece, to - at))
      const length = readable(path, () => readSync(file, bytes, 0, bytes.length, at))
      if (length === 0) return
      at += length
      onRead(bytes.subarray(0, length))
      yield bytes.subarray(0, length)
    }
  }
}

/** Decoders of minizlib decompress during `write`, unlike Node's. */
function* decompressed(
  path: string,
  decoder: Gunzip | ZstdDecompress,
  stored: Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  const pieces: Array<Uint8Array> = []
  const problems: Array<unknown> = []
  decoder.on('data', (bytes) => pieces.push(bytes as Uint8Array))
  decoder.on('error', (error) => problems.push(error))
  for (const bytes of stored) {
    decoder.write(Buffer.from(bytes))
    if (problems.length > 0) break
    yield* pieces.splice(0)
  }
  if (problems.length === 0) decoder.end()
  if (problems.length > 0) throw damaged(path, problems[0])
  yield* pieces
}

type Stored = ReturnType<typeof storedBytes>

/** Node's decoder stops after one frame, so each frame of zstd has a decoder. */
function* decompressedFrames(path: string, file: number, stored: Stored): Generator<Uint8Array, void, void> {
  const { size } = statSync(path)
  for (let at = 0; at < size;) {
    const { end, isSkippable } = frameOf(file, at, size)
    if (end > size || end === at) throw damaged(path, new Error(`the frame at byte ${at} is incomplete`))
    if (isSkippable) for (const _ of stored(PIECE, end)) continue
    else yield* decompressed(path, new ZstdDecompress({}), stored(COMPRESSED_PIECE, end))
    at = end
  }
}

/**
 * Returns the end of a zstd frame by the lengths of its blocks (RFC 8878, 3.1): a position beyond the size of the file
 * for an incomplete frame, `from` if no frame begins there.
 */
function frameOf(file: number, from: number, size: number): { readonly end: number; readonly isSkippable: boolean } {
  const bytes = Buffer.alloc(8)
  const read = (at: number): Buffer => {
    bytes.fill(0)
    readSync(file, bytes, 0, bytes.length, at)
    return bytes
  }
  const isFrame = isZstd(read(from))
  const isSkippable = isFrame && bytes[0] >> 4 === 5
  if (!isFrame || isSkippable) return { end: isFrame ? from + 8 + bytes.readUInt32LE(4) : from, isSkippable }
  const descriptor = bytes[4]
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  let at = from + 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + sizeBytes
  for (let isLast = false; !isLast && at <= size;) {
    const header = read(at).readUIntLE(0, 3)
    isLast = (header & 1) === 1
    // A repeated byte takes one byte, whatever the length of the block.
    at += 3 + (((header >>> 1) & 3) === 1 ? 1 : header >>> 3)
  }
  return { end: at + ((descriptor & 4) === 0 ? 0 : 4), isSkippable }
}
