import { BrokenChunksError } from '../log/reader.ts'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MAX_SEGMENT } from '../limits.ts'
import { ZstdDecompress } from 'minizlib'

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
const MAX_BLOCK: number = 2 ** 17

/** Block of a zstd frame (RFC 8878, 3.1.1.2). */
interface Block {
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

/** Returns true if a file with these first bytes begins with a zstd frame, or a skippable frame as pzstd writes. */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && kindOf(bytes) !== 'neither'
}

/** Returns one zstd frame with the chunk as its content, and with a checksum, which notices a changed bit. */
export function compressFrame(chunk: Uint8Array): Uint8Array {
  return zstdCompressSync(chunk, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
    pledgedSrcSize: chunk.length,
  })
}

/**
 * Returns the content of one whole frame.
 *
 * @param offset first byte of the frame in the file, for messages
 * @param limit most bytes of content
 * @throws BrokenChunksError if the frame is damaged or holds more than `limit` bytes
 */
export function decompress(frame: Uint8Array, offset: number, limit: number = MAX_SEGMENT): Uint8Array {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: limit })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(offset)
    throw damaged(offset, message)
  }
}

/** Returns the error for a frame with more content than declared. @param offset first byte of the frame in the file */
export function tooLarge(offset: number): BrokenChunksError {
  return new BrokenChunksError(
    'corrupt',
    `the compressed frame at byte ${offset} of the file has more content than it declares; at most ${MAX_SEGMENT} bytes are allowed`,
  )
}

/** Largest window of a frame in bytes: the limit of Node's decoder, and the window of a frame made by `zstd --long`. */
const MAX_WINDOW: number = 2 ** 27
/** Most bytes of content to decompress at once: one byte of a frame can stand for thousands of bytes of content. */
const MAX_PIECE: number = 2 ** 20

/** Decompressor of one frame, block by block, in bounded memory for any amount of content. */
export class StreamedFrame {
  readonly #offset: number
  readonly #header: FrameHeader
  readonly #decoder = new ZstdDecompress({})
  #pieces: Array<Uint8Array> = []
  #error: unknown
  #state: 'header' | 'blocks' | 'checksum' | 'done' = 'header'
  #hasLast = false

  /**
   * @param offset first byte of the frame in the file, for messages
   * @throws BrokenChunksError if the window of the frame is larger than `MAX_WINDOW`
   */
  constructor(offset: number, header: FrameHeader) {
    this.#offset = offset
    this.#header = header
    if (header.window > MAX_WINDOW)
      throw damaged(
        offset,
        `its decoder has to remember ${header.window} bytes, at most ${MAX_WINDOW} are allowed; decompress the file with zstd -d --long=31 first`,
      )
    this.#decoder.on('data', (bytes: Uint8Array) => this.#pieces.push(bytes))
    this.#decoder.on('error', (error) => {
      this.#error = error
    })
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Returns the number of `held` bytes to decompress now: the header, whole blocks or the checksum; 0 if too few. */
  wanted(held: Buffer): number {
    switch (this.#state) {
      case 'header':
        return this.#header.length
      case 'blocks':
        return this.#wantedBlocks(held)
      case 'checksum':
        return held.length < this.#header.checksumBytes ? 0 : this.#header.checksumBytes
      case 'done':
        return 0
    }
  }

  #wantedBlocks(held: Buffer): number {
    let [length, holds] = [0, 0]
    while (!this.#hasLast && held.length >= length + BLOCK_HEADER) {
      const block = blockAt(held, length)
      if (block.length > BLOCK_HEADER + MAX_BLOCK || block.holds > MAX_BLOCK)
        throw damaged(this.#offset, `a block of more than ${MAX_BLOCK} bytes`)
      if (held.length < length + block.length || holds + block.holds > MAX_PIECE) break
      length += block.length
      holds += block.holds
      this.#hasLast = block.isLast
    }
    return length
  }

  /** Returns the content of as many bytes as `wanted` returned. @throws BrokenChunksError if the bytes are damaged */
  decompress(bytes: Buffer): Uint8Array {
    this.#decoder.write(bytes)
    if (this.#error !== undefined) throw damaged(this.#offset, (this.#error as Error).message.replace(/^zlib: /, ''))
    if (this.#state === 'header') this.#state = 'blocks'
    else if (this.#state === 'checksum') this.#finish()
    else if (this.#hasLast && this.#header.checksumBytes > 0) this.#state = 'checksum'
    else if (this.#hasLast) this.#finish()
    const content = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces)
    this.#pieces = []
    return content
  }

  /** Frees the memory of the decoder. */
  close(): void {
    this.#decoder.close()
  }

  #finish(): void {
    this.#state = 'done'
    this.close()
  }
}
