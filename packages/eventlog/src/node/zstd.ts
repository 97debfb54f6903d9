import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MAX_SEGMENT } from '../limits.ts'
import { BrokenChunksError } from '../log/reader.ts'

/** The longest frame of so many bytes: what does not compress is kept in blocks, with a few bytes each. */
const MAX_FRAME: number = MAX_SEGMENT + 2 ** 18
/** How every frame begins. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Whether bytes are compressed; `bytes` are the first of a file, four or more. */
export function isZstd(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length))
}

/** One frame, with a checksum: without it a changed bit may go unnoticed. */
export function compressFrame(chunk: Uint8Array): Uint8Array {
  return zstdCompressSync(chunk, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
    pledgedSrcSize: chunk.length,
  })
}

/** A frame's content, and where the frame lies in the file. */
export interface DecompressedFrame {
  readonly from: number
  readonly to: number
  readonly bytes: Uint8Array
}

/** Takes a compressed file's bytes as they come, and gives its frames as they become whole. (Node's streaming decoder takes the end of the first frame for the end of the file.) */
export class FrameDecompressor {
  /** What came and is not yet decompressed is held from `#start` to `#end`; more room is made by doubling it. */
  #held: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  /** Where `#start` is in the file. */
  #offset = 0

  /** Says that no more comes. @throws BrokenChunksError where the last frame is incomplete */
  end(): void {
    if (this.#end > this.#start) throw incomplete(this.#held.subarray(this.#start, this.#end), this.#offset)
  }

  /** @throws BrokenChunksError where a frame is damaged, after those before it */
  *push(chunk: Uint8Array): Generator<DecompressedFrame, void, void> {
    this.#makeRoom(chunk.length)
    this.#held.set(chunk, this.#end)
    this.#end += chunk.length
    for (let length = this.#frameLength(); length !== undefined; length = this.#frameLength()) {
      const [from, to] = [this.#offset, this.#offset + length]
      yield { from, to, bytes: decompress(this.#held.subarray(this.#start, this.#start + length), from) }
      this.#start += length
      this.#offset = to
    }
    if (this.#end - this.#start > MAX_FRAME) throw tooLarge(this.#offset)
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#held.length) return
    const larger = Buffer.alloc(2 * (this.#end - this.#start + bytes))
    this.#held.copy(larger, 0, this.#start, this.#end)
    this.#held = larger
    this.#end -= this.#start
    this.#start = 0
  }

  #frameLength(): number | undefined {
    return this.#start === this.#end ? undefined : frameLength(this.#held.subarray(this.#start, this.#end))
  }
}

/**
 * The contents of the frames in a compressed file, one chunk a frame.
 *
 * @throws BrokenChunksError where one is incomplete or damaged
 */
export function* decompressFrames(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  const decompressor = new FrameDecompressor()
  for (const chunk of chunks) for (const { bytes } of decompressor.push(chunk)) yield bytes
  decompressor.end()
}

/**
 * How many bytes the frame at the start of `bytes` takes, from its header and those of its blocks (RFC 8878, 3.1.1);
 * undefined where it needs more. What is no frame at all takes all bytes, for the decoder to say so. (Node's decoder tells
 * an incomplete frame from a whole one since version 24 only.)
 */
function frameLength(bytes: Buffer): number | undefined {
  const magic = bytes.subarray(0, MAGIC.length)
  if (!MAGIC.subarray(0, magic.length).equals(magic)) return bytes.length
  if (bytes.length < MAGIC.length + 1) return undefined
  const descriptor = bytes[4]
  const singleSegment = (descriptor & 0x20) !== 0
  const contentSizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6]
  let at = 5 + (singleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + contentSizeBytes
  for (let last = false; !last;) {
    if (bytes.length < at + 3) return undefined
    const header = bytes.readUIntLE(at, 3)
    last = (header & 1) === 1
    const runLength = ((header >>> 1) & 3) === 1
    at += 3 + (runLength ? 1 : header >>> 3)
  }
  const checksumBytes = (descriptor & 4) === 0 ? 0 : 4
  return bytes.length < at + checksumBytes ? undefined : at + checksumBytes
}

/**
 * @param offset where the frame begins in the file, for errors
 * @param limit bytes that it may hold
 */
export function decompress(frame: Uint8Array, offset: number, limit: number = MAX_SEGMENT): Uint8Array {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: limit })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(offset)
    throw new BrokenChunksError('corrupt', `the compressed frame at byte ${offset} of the file is damaged: ${message}`)
  }
}

function tooLarge(offset: number): BrokenChunksError {
  return new BrokenChunksError(
    'corrupt',
    `the compressed frame at byte ${offset} of the file holds more than ${MAX_SEGMENT} bytes; a log that another program compressed can be read once it is decompressed`,
  )
}

/** A frame is torn only at the end of the file: where another one follows, its length was changed. */
function incomplete(bytes: Buffer, offset: number): BrokenChunksError {
  if (bytes.includes(MAGIC, MAGIC.length)) {
    return new BrokenChunksError(
      'corrupt',
      `the compressed frame at byte ${offset} of the file is damaged: its length is wrong`,
    )
  }
  return new BrokenChunksError('torn', `the compressed frame at byte ${offset} of the file is incomplete`)
}
