import { BrokenChunksError } from '../log/reader.ts'

/** First four bytes of every zstd frame with content. */
export const MAGIC: Buffer = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Second to fourth byte of a skippable frame; the first byte is 0x50 to 0x5f (RFC 8878, 3.1.2). */
const SKIPPABLE = [0x2a, 0x4d, 0x18]
/** Number of bytes of a skippable frame before its content: the magic and the length of the content. */
export const SKIPPABLE_HEADER = 8

/** Returns the kind of the frame that begins with `bytes`; fewer than four bytes need to agree with part of a magic. */
export function kindOf(bytes: Uint8Array): 'frame' | 'skippable' | 'neither' {
  const first = bytes.subarray(0, MAGIC.length)
  if (first.every((byte, at) => byte === MAGIC[at])) return 'frame'
  return first[0] >> 4 === 5 && first.subarray(1).every((byte, at) => byte === SKIPPABLE[at]) ? 'skippable' : 'neither'
}

/** Header of a zstd frame (RFC 8878, 3.1.1.1). */
export interface FrameHeader {
  /** Length of the header in bytes, magic included. */
  readonly length: number
  /** Length of the content in bytes; undefined if the header does not declare a length. */
  readonly contentSize: number | undefined
  /** Number of bytes of content that the decoder has to remember (`Window_Size`). */
  readonly window: number
  readonly checksumBytes: 0 | 4
}

/** Returns the header of the frame at the start of `bytes`; undefined if `bytes` do not hold the whole header. */
export function frameHeader(bytes: Buffer): FrameHeader | undefined {
  const descriptor = bytes[MAGIC.length]
  if (descriptor === undefined) return undefined
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  const windowAt = MAGIC.length + 1
  const sizeAt = windowAt + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]
  const length = sizeAt + sizeBytes
  if (bytes.length < length) return undefined
  const contentSize = sizeBytes === 0 ? undefined : contentSizeAt(bytes, sizeAt, sizeBytes)
  return {
    length,
    contentSize,
    window: isSingleSegment ? contentSize! : windowOf(bytes[windowAt]),
    checksumBytes: (descriptor & 4) === 0 ? 0 : 4,
  }
}

function contentSizeAt(bytes: Buffer, at: number, count: number): number {
  if (count === 8) return Number(bytes.readBigUInt64LE(at))
  // Two-byte lengths begin at 256, because one byte holds every smaller length.
  return bytes.readUIntLE(at, count) + (count === 2 ? 256 : 0)
}

function windowOf(descriptor: number): number {
  const base = Number(1n << BigInt(10 + (descriptor >>> 3)))
  return base + (base / 8) * (descriptor & 7)
}

/** Length in bytes of the header of a block. */
export const BLOCK_HEADER = 3
/** Most bytes of content in one block. */
export const MAX_BLOCK: number = 2 ** 17

/** Block of a zstd frame (RFC 8878, 3.1.1.2). */
export interface Block {
  /** Length of the block in bytes, header included. */
  readonly length: number
  readonly isLast: boolean
  /** Most bytes of content in the block. */
  readonly holds: number
}

/** Returns the block with its header at `at` in `bytes`. @param at position of the header, which `bytes` hold whole */
export function blockAt(bytes: Buffer, at: number): Block {
  const header = bytes.readUIntLE(at, BLOCK_HEADER)
  const [type, size] = [(header >>> 1) & 3, header >>> 3]
  return {
    length: BLOCK_HEADER + (type === REPEATED ? 1 : size),
    isLast: (header & 1) === 1,
    holds: type === COMPRESSED ? MAX_BLOCK : size,
  }
}
const REPEATED = 1
const COMPRESSED = 2

/** Returns the error for a damaged frame. @param offset first byte of the frame in the file */
export function damaged(offset: number, reason: string): BrokenChunksError {
  return new BrokenChunksError('corrupt', `the compressed frame at byte ${offset} of the file is damaged: ${reason}`)
}
