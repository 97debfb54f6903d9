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
 * @throws BrokenChunksError where a frame is incomplete or damaged
 */
export function* decompressFrames(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  let bytes = Buffer.alloc(0)
  /** Where `bytes` begin in the file. */
  let offset = 0
  /** A frame that was found incomplete is tried again when there are twice as many bytes. */
  let enough = 1
  for (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= enough) {
      const frame = firstFrame(bytes, offset)
      enough = frame === undefined ? 2 * bytes.length : 1
      if (frame === undefined) break
      yield frame.content
      bytes = bytes.subarray(frame.length)
      offset += frame.length
    }
  }
  for (let frame; bytes.length > 0; bytes = bytes.subarray(frame.length), offset += frame.length) {
    frame = firstFrame(bytes, offset)
    if (frame === undefined) throw incomplete(bytes, offset)
    yield frame.content
  }
}

/** The frame at the start of `bytes`, and how many of them it takes; undefined where it needs more. */
function firstFrame(bytes: Buffer, offset: number): { readonly content: Uint8Array; readonly length: number } | undefined {
  try {
    const { buffer, engine } = zstdDecompressSync(bytes, { info: true, maxOutputLength: MAX_FRAME }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    return { content: buffer, length: engine.bytesWritten }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') return undefined
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
