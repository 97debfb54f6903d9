import { lowerBound } from '@cloister/topology'
import { readSync } from 'node:fs'
import { attempt } from './file-error.ts'
import { RecordError } from '../records/record-error.ts'
import { decompress } from './zstd.ts'

/** Where a compressed log's frames lie: in the file, and in what they hold. */
export interface Frame {
  readonly from: number
  readonly to: number
  /** First byte of the log that it holds. */
  readonly start: number
}

/** Gives bytes of an open log file, as they are before compression. @param frames null where the log is not compressed */
export function rangesOf(
  path: string,
  file: number,
  frames: ReadonlyArray<Frame> | null,
): (from: number, to: number) => Uint8Array {
  const read = (from: number, to: number): Buffer =>
    attempt('read', path, () => {
      const bytes = Buffer.alloc(to - from)
      for (let at = 0; at < bytes.length;) {
        const length = readSync(file, bytes, at, bytes.length - at, from + at)
        if (length === 0)
          throw new RecordError(`${path} ends at byte ${from + at}: it is shorter than when it was indexed`)
        at += length
      }
      return bytes
    })
  if (frames === null) return read
  return (from, to) => {
    const parts: Array<Uint8Array> = []
    for (let at = frameAt(frames, from); at < frames.length && frames[at].start < to; at++) {
      const { from: first, to: end, start } = frames[at]
      const content = decompress(read(first, end), first)
      parts.push(content.subarray(Math.max(0, from - start), to - start))
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }
}

/** The last frame that begins at or before a byte of the log. */
function frameAt(frames: ReadonlyArray<Frame>, byte: number): number {
  return lowerBound(frames.length, (at) => frames[at].start <= byte) - 1
}
