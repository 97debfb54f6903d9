const ZERO = 48
const COMMA = 44
const DASH = 45
/**
 * Most ids for which `IdBuffer.clear` keeps memory: a buffer rarely needs the memory for a large machine's ids again.
 */
const MOST_STORED = 2 ** 16

/**
 * Buffer that reads the ids of many canonical idsets into a single array, because `parseIdset` makes an array for each
 * idset. If `read` returns false for a text, `parseIdset` throws an error with the reason for the same text.
 */
export class IdBuffer {
  /**
   * Array of ids: the first `count` entries are the ids added since the last `clear`. The buffer replaces `ids` by a
   * longer array if the ids need more memory, so read `ids` again after each addition.
   */
  ids: Int32Array = new Int32Array(256)
  count = 0

  clear(): void {
    this.count = 0
    if (this.ids.length > MOST_STORED) this.ids = new Int32Array(MOST_STORED)
  }

  /**
   * Appends the ids of a canonical idset, each plus `offset`. Returns false if the text is no canonical idset, or if an
   * id is not below `limit`. After a return of false, the ids before the fault stay in the buffer.
   */
  read(text: string, limit: number, offset: number = 0): boolean {
    const { length } = text
    let previous = -2
    for (let at = 0; at < length; at++) {
      const start = at
      let first = 0
      let digit = text.charCodeAt(at) - ZERO
      for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) first = first * 10 + digit
      if (first >= limit || first <= previous + 1 || isNoNumber(text, start, at)) return false
      let last = first
      if (digit === DASH - ZERO) {
        const second = ++at
        last = 0
        digit = text.charCodeAt(at) - ZERO
        for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) last = last * 10 + digit
        if (last >= limit || last <= first || isNoNumber(text, second, at)) return false
      }
      // A canonical idset has a comma only between two ranges, never at the end.
      if (at < length && (digit !== COMMA - ZERO || at === length - 1)) return false
      this.#addRange(first + offset, last + offset)
      previous = last
    }
    return true
  }

  /** Appends a list of ids to the buffer. @param offset number to add to each id */
  add(ids: ArrayLike<number>, offset: number = 0): void {
    const from = this.count
    this.count += ids.length
    if (this.count > this.ids.length) this.#grow()
    for (let i = 0; i < ids.length; i++) this.ids[from + i] = ids[i] + offset
  }

  #addRange(first: number, last: number): void {
    let n = this.count
    this.count = n + last - first + 1
    if (this.count > this.ids.length) this.#grow()
    const { ids } = this
    for (let id = first; id <= last; id++) ids[n++] = id
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.count)
    larger.set(this.ids)
    this.ids = larger
  }
}

function isNoNumber(text: string, start: number, end: number): boolean {
  return end === start || (end - start > 1 && text.charCodeAt(start) === ZERO)
}
