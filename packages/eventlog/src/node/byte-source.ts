const LF = 10

/** Reader of the bytes of an iterable of chunks, in portions of any size. */
export class ByteSource {
  readonly #chunks: Iterator<Uint8Array>
  #next: Uint8Array = new Uint8Array(0)

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** Returns the next `count` bytes; fewer bytes at the end of the chunks. */
  take(count: number): Uint8Array {
    const parts: Uint8Array[] = []
    for (let missing = count; missing > 0 && this.#fill();) {
      const part = this.#next.subarray(0, missing)
      this.#next = this.#next.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }

  /** Returns the bytes before the next LF, or all bytes if no LF follows. The LF itself stays unread. */
  takeLine(): Uint8Array {
    const parts: Uint8Array[] = []
    while (this.#fill()) {
      const end = this.#next.indexOf(LF)
      parts.push(this.take(end < 0 ? this.#next.length : end))
      if (end >= 0) break
    }
    return Buffer.concat(parts)
  }

  #fill(): boolean {
    while (this.#next.length === 0) {
      const { done, value } = this.#chunks.next()
      if (done === true) return false
      this.#next = value
    }
    return true
  }
}
