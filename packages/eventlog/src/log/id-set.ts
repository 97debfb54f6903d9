/** Set of ids in ascending order, one bit an id: a hostile log may add and remove millions of ids with each record. */
export class IdSet implements Iterable<number> {
  readonly #words: Uint32Array
  #size = 0

  /** @param limit upper limit of the ids, exclusive */
  constructor(limit: number) {
    this.#words = new Uint32Array((limit + 31) >>> 5)
  }

  /** Returns the set of all ids from 0 to `limit - 1`. */
  static all(limit: number): IdSet {
    const set = new IdSet(limit)
    set.#words.fill(0xffffffff)
    if (limit % 32 > 0) set.#words[limit >>> 5] = (1 << (limit % 32)) - 1
    set.#size = limit
    return set
  }

  /** Number of ids in the set. */
  get size(): number {
    return this.#size
  }

  has(id: number): boolean {
    return (this.#words[id >>> 5] & (1 << (id & 31))) !== 0
  }

  /** Adds an id. @throws RangeError if the id is not below the limit of the set, rounded up to a multiple of 32 */
  add(id: number): void {
    if (id >>> 5 >= this.#words.length)
      throw new RangeError(`found id ${id}, expected an id below ${this.#words.length * 32}`)
    const bit = 1 << (id & 31)
    if ((this.#words[id >>> 5] & bit) !== 0) return
    this.#words[id >>> 5] |= bit
    this.#size++
  }

  delete(id: number): void {
    const bit = 1 << (id & 31)
    if ((this.#words[id >>> 5] & bit) === 0) return
    this.#words[id >>> 5] &= ~bit
    this.#size--
  }

  /** Returns all ids of the set, ascending. */
  ids(): Int32Array {
    const ids = new Int32Array(this.#size)
    let found = 0
    this.#words.forEach((word, at) => {
      for (let bits = word; bits !== 0; bits &= bits - 1) ids[found++] = (at << 5) + 31 - Math.clz32(bits & -bits)
    })
    return ids
  }

  [Symbol.iterator](): Iterator<number> {
    return this.ids().values()
  }
}
