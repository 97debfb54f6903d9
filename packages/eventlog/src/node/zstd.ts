import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MAX_SEGMENT } from '../limits.ts'
import { BrokenChunksError } from '../log/reader.ts'
import { damaged, kindOf } from './zstd-frame.ts'

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
