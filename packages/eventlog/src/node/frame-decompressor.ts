import { MAX_SEGMENT } from '../limits.ts'
import { BrokenChunksError } from '../log/reader.ts'
import { HeldBytes } from './held-bytes.ts'
import { decompress, tooLarge } from './zstd.ts'
import {
  BLOCK_HEADER,
  blockAt,
  damaged,
  type FrameHeader,
  frameHeader,
  kindOf,
  MAGIC,
  SKIPPABLE_HEADER,
} from './zstd-frame.ts'
import { StreamedFrame } from './streamed-frame.ts'

/** The longest frame of so many bytes: what does not compress is kept in blocks, with a few bytes each. */
const MAX_FRAME: number = MAX_SEGMENT + 2 ** 18

/** Content of a frame, all or part of it. */
export interface FramePiece {
  readonly bytes: Uint8Array
  /** Where its frame lies in the file; the end is known with the last piece. */
  readonly from: number
  readonly to: number | undefined
}

/** What is being read, from its first byte on. */
type Reading =
  /** Holds nothing: so many bytes of it are still to come. */
  | { readonly kind: 'skippable'; readonly from: number; left: number }
  /** Says that it holds no more than a segment, and is decompressed when it is whole. `length`: of its blocks that were found so far. */
  | { readonly kind: 'whole'; readonly from: number; readonly header: FrameHeader; length: number; hasLast: boolean }
  /** Holds more or does not say: another program made it, and it is decompressed block by block. */
  | { readonly kind: 'streamed'; readonly from: number; readonly frame: StreamedFrame }

/**
 * Takes a compressed file's bytes as they come, and gives what its frames hold. Every byte belongs to a frame or is an error.
 * (Node's streaming decoder takes the end of the first frame for the end of the file.)
 */
export class FrameDecompressor {
  /** What came and is not yet decompressed. */
  readonly #held = new HeldBytes()
  /** Where the first byte held is in the file. */
  #offset: number
  #reading: Reading | undefined

  /** @param offset where in the file the first byte is that will come */
  constructor(offset: number = 0) {
    this.#offset = offset
  }

  /** Says that no more comes. @throws BrokenChunksError where the last frame is incomplete */
  end(): void {
    if (this.#reading?.kind === 'streamed') this.#reading.frame.close()
    if (this.#reading !== undefined || this.#held.length > 0)
      throw incomplete(this.#held.view(), this.#offset, this.#reading?.from ?? this.#offset)
  }

  /** @throws BrokenChunksError where a frame is damaged, after the pieces before it */
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

  /** Finds out what begins here. False where more bytes have to come. */
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

  /** False where more has to come. */
  #skip(reading: Reading & { readonly kind: 'skippable' }): boolean {
    const length = Math.min(reading.left, this.#held.length)
    this.#take(length)
    reading.left -= length
    if (reading.left > 0) return false
    this.#reading = undefined
    return true
  }

  /** Undefined where more has to come. */
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

  /** Undefined where more has to come. */
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
 * The contents of the frames in a compressed file.
 *
 * @throws BrokenChunksError where one is incomplete or damaged
 */
export function* decompressFrames(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  const decompressor = new FrameDecompressor()
  for (const chunk of chunks) for (const { bytes } of decompressor.push(chunk)) yield bytes
  decompressor.end()
}

/**
 * A frame is torn only at the end of the file: where another one follows, its length was changed.
 *
 * @param from where it begins in the file, and `offset` where what is held of it does
 */
function incomplete(held: Buffer, offset: number, from: number): BrokenChunksError {
  if (held.includes(MAGIC, from === offset ? MAGIC.length : 0)) return damaged(from, 'its length is wrong')
  return new BrokenChunksError('torn', `the compressed frame at byte ${from} of the file is incomplete`)
}
