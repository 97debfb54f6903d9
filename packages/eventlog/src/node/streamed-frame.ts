import { ZstdDecompress } from 'minizlib'
import { BLOCK_HEADER, blockAt, damaged, type FrameHeader, MAX_BLOCK } from './zstd-frame.ts'

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
