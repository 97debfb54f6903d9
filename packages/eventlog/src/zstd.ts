import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BrokenChunksError } from './reader.ts'

/** The most that one frame may hold. */
const MAX_FRAME = 2 ** 30
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

/**
 * The contents of the frames in a compressed file, one chunk a frame. (Node's streaming decoder takes the end of the first
 * frame for the end of the file.)
 *
 * @param tell is told of each frame, before it is given, where it lies in the file
 * @throws BrokenChunksError where a frame is incomplete or damaged
 */
export function* decompressFrames(chunks: Iterable<Uint8Array>, tell: (from: number, to: number) => void = () => {}): Generator<Uint8Array, void, void> {
  let bytes = Buffer.alloc(0)
  /** Where `bytes` begin in the file. */
  let offset = 0
  for (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    for (let length = frameLength(bytes); length !== undefined; length = frameLength(bytes)) {
      tell(offset, offset + length)
      yield decompress(bytes.subarray(0, length), offset)
      bytes = bytes.subarray(length)
      offset += length
    }
  }
  if (bytes.length > 0) throw incomplete(bytes, offset)
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
  for (let last = false; !last; ) {
    if (bytes.length < at + 3) return undefined
    const header = bytes.readUIntLE(at, 3)
    last = (header & 1) === 1
    const runLength = ((header >>> 1) & 3) === 1
    at += 3 + (runLength ? 1 : header >>> 3)
  }
  const checksumBytes = (descriptor & 4) === 0 ? 0 : 4
  return bytes.length < at + checksumBytes ? undefined : at + checksumBytes
}

/** @param offset where the frame begins in the file, for errors */
export function decompress(frame: Uint8Array, offset: number): Uint8Array {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: MAX_FRAME })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ERR_BUFFER_TOO_LARGE' ? `it holds more than ${MAX_FRAME} bytes` : message
    throw new BrokenChunksError('corrupt', `the compressed frame at byte ${offset} of the file is damaged: ${reason}`)
  }
}

/** A frame is torn only at the end of the file: where another one follows, its length was changed. */
function incomplete(bytes: Buffer, offset: number): BrokenChunksError {
  if (bytes.includes(MAGIC, MAGIC.length)) {
    return new BrokenChunksError('corrupt', `the compressed frame at byte ${offset} of the file is damaged: its length is wrong`)
  }
  return new BrokenChunksError('torn', `the compressed frame at byte ${offset} of the file is incomplete`)
}
