/** Largest number of kept refutations. */
const MOST = 64

interface Refutation {
  readonly pods: number
  readonly slots: number
  /** Masks of the free spine slots of each candidate pod; 0 for other pods. */
  readonly free: Int32Array
}

/**
 * Exhaustive searches that found no `pods` candidate pods with `slots` common free spine slots above each L2 index. A
 * search for as many pods and slots fails, too, if every candidate was a candidate of the failed search, with at least
 * the same free slots. So a refutation is true of all states of the machine, and copies of a state can share it.
 */
export class Refutations {
  /** Latest used refutation last. */
  readonly #kept: Array<Refutation> = []
  readonly #rowWords: number
  readonly #words: number

  /** @param rowWords number of words of the masks of a pod in `l2Slots` */
  constructor(pods: number, rowWords: number) {
    this.#rowWords = rowWords
    this.#words = pods * rowWords
  }

  /**
   * Keeps the failed search for `pods` of the first `length` candidates, and forgets the refutation that was not used
   * for the longest time if there are too many.
   *
   * @param slots number of common slots at each L2 index, at least 1
   */
  add(l2Slots: Int32Array, candidates: Int32Array, length: number, pods: number, slots: number): void {
    const free = this.#kept.length < MOST ? new Int32Array(this.#words) : this.#kept.shift()!.free.fill(0)
    for (let at = 0; at < length; at++) {
      const row = candidates[at] * this.#rowWords
      for (let word = row; word < row + this.#rowWords; word++) free[word] = l2Slots[word]
    }
    this.#kept.push({ pods, slots, free })
  }

  /** Returns true if a kept refutation shows that a search fails; the parameters are those of `add`. */
  refute(l2Slots: Int32Array, candidates: Int32Array, length: number, pods: number, slots: number): boolean {
    for (let at = this.#kept.length - 1; at >= 0; at--) {
      const refutation = this.#kept[at]
      if (pods < refutation.pods || slots < refutation.slots) continue
      if (!this.#isWithin(l2Slots, candidates, length, refutation.free)) continue
      this.#kept.splice(at, 1)
      this.#kept.push(refutation)
      return true
    }
    return false
  }

  #isWithin(l2Slots: Int32Array, candidates: Int32Array, length: number, free: Int32Array): boolean {
    for (let at = 0; at < length; at++) {
      const row = candidates[at] * this.#rowWords
      for (let word = row; word < row + this.#rowWords; word++) if ((l2Slots[word] & ~free[word]) !== 0) return false
    }
    return true
  }
}
