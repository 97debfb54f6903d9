/** A queue of bytes: in at the end, out at the start. */
export class HeldBytes {
  /** Held from `#start` to `#end`; more room is made by doubling it. */
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** All that is held; valid until the next `add`. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  add(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#bytes.length) this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** Drops the first `length` bytes, and gives them; valid until the next `add`. */
  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#start, this.#start + length)
    this.#start += length
    return taken
  }

  #makeRoom(bytes: number): void {
    const larger = Buffer.alloc(2 * (this.length + bytes))
    this.#bytes.copy(larger, 0, this.#start, this.#end)
    this.#bytes = larger
    this.#end -= this.#start
    this.#start = 0
  }
}
