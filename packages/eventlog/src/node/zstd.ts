import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MAX_SEGMENT } from '../limits.ts'
import { BrokenChunksError } from '../log/reader.ts'
import { damaged, kindOf } from './zstd-frame.ts'

/** Whether bytes are compressed; `bytes` are the first of a file, four or more. (pzstd begins with a frame to be skipped.) */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && kindOf(bytes) !== 'neither'
}

/** One frame, with its length and a checksum: without that a changed bit may go unnoticed. */
export function compressFrame(chunk: Uint8Array): Uint8Array {
  return zstdCompressSync(chunk, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
    pledgedSrcSize: chunk.length,
  })
}

/**
 * The content of one whole frame.
 *
 * @param offset where the frame begins in the file, for errors
 * @param limit bytes that it may hold
 * @throws BrokenChunksError
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

/** @param offset where the frame begins in the file */
export function tooLarge(offset: number): BrokenChunksError {
  return new BrokenChunksError(
    'corrupt',
    `the compressed frame at byte ${offset} of the file holds more than it says, ${MAX_SEGMENT} bytes or fewer`,
  )
}
