import { MAX_SEGMENT } from '../limits.ts'
import { BrokenChunksError } from '../log/reader.ts'
import {
  BLOCK_HEADER,
  blockAt,
  damaged,
  decompress,
  frameHeader,
  type FrameHeader,
  kindOf,
  MAGIC,
  SKIPPABLE_HEADER,
  StreamedFrame,
  tooLarge,
} from './zstd-frame.ts'

/** Most bytes of a frame with `MAX_SEGMENT` bytes of content; incompressible content adds a few bytes a block. */
const MAX_FRAME: number = MAX_SEGMENT + 2 ** 18

/** Content of a frame of the compressed file, or a part of the content. */
export interface FramePiece {
  readonly bytes: Uint8Array
  /** Position of the frame in the file. The last piece of a frame has the position after the frame in `to`. */
  readonly from: number
  readonly to: number | undefined
}

type Reading =
  /** Skippable frame, which has no content; `left` bytes of the frame are still unread. */
  | { readonly kind: 'skippable'; readonly from: number; left: number }
  /**
   * Frame that declares at most `MAX_SEGMENT` bytes of content, and is decompressed once all its bytes have come.
   * `length`: bytes of the header and of the blocks found so far.
   */
  | { readonly kind: 'whole'; readonly from: number; readonly header: FrameHeader; length: number; hasLast: boolean }
  /** Frame of another program that declares more content or no size, and is decompressed block by block. */
  | { readonly kind: 'streamed'; readonly from: number; readonly frame: StreamedFrame }

/**
 * Decompressor of a file of many zstd frames: takes the bytes of the file chunk by chunk, and yields the content of the
 * frames. A byte outside of a frame is an error. (Node's streaming decoder would take the end of the first frame for
 * the end of the file.)
 */
export class FrameDecompressor {
  readonly #held = new HeldBytes()
  /** Position of the first held byte in the file. */
  #offset: number
  #reading: Reading | undefined

  /** @param offset position in the file of the first byte that will be pushed */
  constructor(offset: number = 0) {
    this.#offset = offset
  }

  /** Ends the input. @throws BrokenChunksError if the last frame is incomplete */
  end(): void {
    if (this.#reading?.kind === 'streamed') this.#reading.frame.close()
    if (this.#reading !== undefined || this.#held.length > 0)
      throw incomplete(this.#held.view(), this.#offset, this.#reading?.from ?? this.#offset)
  }

  /**
   * Adds bytes of the file, and yields the content that can be decompressed now.
   *
   * @throws BrokenChunksError at a damaged frame, after the pieces before the damage
   */
  *push(chunk: Uint8Array): Generator<FramePiece, void, void> {
    this.#held.add(chunk)
    while (this.#begin()) {
      const reading = this.#reading!
      if (reading.kind === 'skippable') {
        if (!this.#skip(reading)) return
        continue
      }
      const piece = reading.kind === 'whole' ? this.#whole(reading) : this.#streamed(reading)
      if (piece === undefined) return
      if (piece.to !== undefined) this.#reading = undefined
      yield piece
    }
  }

  /** Finds the kind of the next frame, unless a frame is being read; returns false if more bytes must come first. */
  #begin(): boolean {
    if (this.#reading !== undefined) return true
    const [bytes, from] = [this.#held.view(), this.#offset]
    if (bytes.length === 0) return false
    const kind = kindOf(bytes)
    if (kind === 'neither') throw damaged(from, 'no zstd frame begins there')
    if (kind === 'skippable') {
      if (bytes.length < SKIPPABLE_HEADER) return false
      this.#reading = { kind, from, left: SKIPPABLE_HEADER + bytes.readUInt32LE(MAGIC.length) }
      return true
    }
    const header = frameHeader(bytes)
    if (header === undefined) return false
    this.#reading =
      header.contentSize === undefined || header.contentSize > MAX_SEGMENT
        ? { kind: 'streamed', from, frame: new StreamedFrame(from, header) }
        : { kind: 'whole', from, header, length: header.length, hasLast: false }
    return true
  }

  #skip(reading: Reading & { readonly kind: 'skippable' }): boolean {
    const length = Math.min(reading.left, this.#held.length)
    this.#take(length)
    reading.left -= length
    if (reading.left > 0) return false
    this.#reading = undefined
    return true
  }

  /** Returns undefined if more bytes of the frame must come. */
  #whole(reading: Reading & { readonly kind: 'whole' }): FramePiece | undefined {
    const { from, header } = reading
    const bytes = this.#held.view()
    while (!reading.hasLast && bytes.length >= reading.length + BLOCK_HEADER) {
      const { length, isLast } = blockAt(bytes, reading.length)
      reading.length += length
      reading.hasLast = isLast
    }
    const length = reading.length + header.checksumBytes
    if (length > MAX_FRAME) throw tooLarge(from)
    if (!reading.hasLast || bytes.length < length) return undefined
    return { bytes: decompress(this.#take(length), from), from, to: this.#offset }
  }

  #streamed({ from, frame }: Reading & { readonly kind: 'streamed' }): FramePiece | undefined {
    const length = frame.wanted(this.#held.view())
    if (length === 0) return undefined
    const bytes = frame.decompress(this.#take(length))
    return { bytes, from, to: frame.isDone ? this.#offset : undefined }
  }

  #take(length: number): Buffer {
    this.#offset += length
    return this.#held.take(length)
  }
}

/**
 * Yields the contents of the frames in a compressed file.
 *
 * @throws BrokenChunksError if a frame is incomplete or damaged
 */
export function* decompressFrames(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  const decompressor = new FrameDecompressor()
  for (const chunk of chunks) for (const { bytes } of decompressor.push(chunk)) yield bytes
  decompressor.end()
}

/**
 * Returns the error for an incomplete frame: the file is corrupt if another frame begins in the held bytes, because the
 * length of the incomplete frame is then wrong, and torn otherwise.
 *
 * @param offset position in the file of the first held byte
 * @param from position in the file of the incomplete frame
 */
function incomplete(held: Buffer, offset: number, from: number): BrokenChunksError {
  if (held.includes(MAGIC, from === offset ? MAGIC.length : 0)) return damaged(from, 'its length is wrong')
  return new BrokenChunksError('torn', `the compressed frame at byte ${from} of the file is incomplete`)
}

/** Queue of bytes: bytes enter at the end and leave at the start. */
class HeldBytes {
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Returns all held bytes without a copy. The returned buffer is valid until the next `add`. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  add(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** Removes and returns the first `length` held bytes without a copy; the buffer is valid until the next `add`. */
  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#start, this.#start + length)
    this.#start += length
    return taken
  }

  #grow(bytes: number): void {
    const larger = Buffer.alloc(2 * (this.length + bytes))
    this.#bytes.copy(larger, 0, this.#start, this.#end)
    this.#bytes = larger
    this.#end -= this.#start
    this.#start = 0
  }
}
