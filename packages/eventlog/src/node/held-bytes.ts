/** Queue of bytes: bytes enter at the end and leave at the start. */
export class HeldBytes {
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
