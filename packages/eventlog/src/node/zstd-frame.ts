import { BrokenChunksError } from '../log/reader.ts'

/** How every frame begins that holds something. */
export const MAGIC: Buffer = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** How a skippable frame goes on after its first byte, 0x50 to 0x5f (RFC 8878, 3.1.2). */
const SKIPPABLE = [0x2a, 0x4d, 0x18]
/** Bytes of a skippable frame before its content: the magic and the content's length. */
export const SKIPPABLE_HEADER = 8

/** What begins with these bytes, as far as they tell: a frame, a skippable frame, or neither. */
export function kindOf(bytes: Uint8Array): 'frame' | 'skippable' | 'neither' {
  const first = bytes.subarray(0, MAGIC.length)
  if (first.every((byte, at) => byte === MAGIC[at])) return 'frame'
  return first[0] >> 4 === 5 && first.subarray(1).every((byte, at) => byte === SKIPPABLE[at]) ? 'skippable' : 'neither'
}

/** The header of a frame (RFC 8878, 3.1.1.1). */
export interface FrameHeader {
  /** Bytes, its magic included. */
  readonly length: number
  /** What the frame holds, in bytes; undefined where it does not say. */
  readonly contentSize: number | undefined
  /** What its decoder has to remember, in bytes. */
  readonly window: number
  readonly checksumBytes: 0 | 4
}

/** Undefined where `bytes` do not hold all of it. */
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
  // Two bytes begin to count where one ends.
  return bytes.readUIntLE(at, count) + (count === 2 ? 256 : 0)
}

function windowOf(descriptor: number): number {
  const base = Number(1n << BigInt(10 + (descriptor >>> 3)))
  return base + (base / 8) * (descriptor & 7)
}

/** Bytes of a block's header. */
export const BLOCK_HEADER = 3
/** What one block may hold, in bytes. */
export const MAX_BLOCK: number = 2 ** 17

/** A block of a frame (RFC 8878, 3.1.1.2). */
export interface Block {
  /** Bytes, its header included. */
  readonly length: number
  readonly isLast: boolean
  /** What it may hold at most, in bytes. */
  readonly holds: number
}

/** @param at where in `bytes` its header begins, all of which is there */
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

/** @param offset where the frame begins in the file */
export function damaged(offset: number, reason: string): BrokenChunksError {
  return new BrokenChunksError('corrupt', `the compressed frame at byte ${offset} of the file is damaged: ${reason}`)
}
