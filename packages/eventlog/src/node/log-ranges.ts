import { lowerBound } from '@cloister/topology'
import { readSync } from 'node:fs'
import { attempt } from './files.ts'
import { FrameDecompressor, type FramePiece } from './frame-decompressor.ts'
import { RecordError } from '../limits.ts'

/** Position of a zstd frame of a compressed log. `from`: position of the frame's first byte in the file. */
export interface Frame {
  readonly from: number
  /** Byte of the file after the frame; absent if the end of the frame has not been read. */
  readonly to?: number
  /** Position in the uncompressed log of the first byte that the frame holds. */
  readonly start: number
}

/** Function that returns the bytes of the uncompressed log from `from` to `to`, exclusive. */
export type ReadRange = (from: number, to: number) => Uint8Array

/** Returns a reader of ranges of a plain log; the reader throws LogFileError, or RecordError if the file was cut. */
export function rangesOfPlain(path: string, file: number): ReadRange {
  return (from, to) => readWhole(path, file, from, to)
}

/**
 * Returns a function that reads ranges of bytes of the uncompressed log from a compressed file. The returned function
 * throws LogFileError if the file cannot be read, RecordError if the file became shorter, and BrokenChunksError if a
 * frame was changed.
 *
 * @param frames frames of the log; the caller may add frames later
 */
export function rangesOfFrames(path: string, file: number, frames: ReadonlyArray<Frame>): ReadRange {
  let cursor: FrameCursor | undefined
  return (from, to) => {
    const parts: Array<Uint8Array> = []
    for (let at = frameAt(frames, from); at < frames.length && frames[at].start < to; at++) {
      const frame = frames[at]
      const first = Math.max(from, frame.start)
      if (cursor?.canRead(frame, first) !== true) cursor = new FrameCursor(frame, piecesOf(path, file, frame))
      parts.push(cursor.read(first, to))
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }
}

function frameAt(frames: ReadonlyArray<Frame>, byte: number): number {
  return lowerBound(frames.length, (at) => frames[at].start <= byte) - 1
}

/** Forward reader of one frame: continues after its last read, because another program's frame may be a whole log. */
class FrameCursor {
  readonly #frame: Frame
  readonly #pieces: Generator<FramePiece, void, void>
  /** Piece that was read last; `#start` is the position of its first byte in the uncompressed log. */
  #piece: Uint8Array = new Uint8Array(0)
  #start: number

  constructor(frame: Frame, pieces: Generator<FramePiece, void, void>) {
    this.#frame = frame
    this.#pieces = pieces
    this.#start = frame.start
  }

  canRead(frame: Frame, from: number): boolean {
    return frame.from === this.#frame.from && from >= this.#start
  }

  read(from: number, to: number): Uint8Array {
    const parts: Array<Uint8Array> = []
    for (;;) {
      if (from < this.#start + this.#piece.length)
        parts.push(this.#piece.subarray(Math.max(0, from - this.#start), to - this.#start))
      if (to <= this.#start + this.#piece.length) break
      const next = this.#pieces.next()
      if (next.done === true) break
      this.#start += this.#piece.length
      this.#piece = next.value.bytes
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }
}

const CHUNK = 2 ** 18

function* piecesOf(path: string, file: number, frame: Frame): Generator<FramePiece, void, void> {
  const decompressor = new FrameDecompressor(frame.from)
  for (let at = frame.from; frame.to === undefined || at < frame.to;) {
    const chunk = Buffer.alloc(Math.min(CHUNK, (frame.to ?? Infinity) - at))
    const length = readSome(path, file, chunk, at)
    yield* decompressor.push(chunk.subarray(0, length))
    at += length
  }
}

function readWhole(path: string, file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from)
  for (let at = 0; at < bytes.length;) at += readSome(path, file, bytes.subarray(at), from + at)
  return bytes
}

/** Reads bytes at the position `at`; returns their number, at least 1. @throws RecordError at the end of the file */
function readSome(path: string, file: number, into: Buffer, at: number): number {
  const length = attempt('read', path, () => readSync(file, into, 0, into.length, at))
  if (length === 0)
    throw new RecordError(`${path} ends at byte ${at}: the file is shorter than when its index was made`)
  return length
}
