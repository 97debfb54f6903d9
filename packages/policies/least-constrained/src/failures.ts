/** Stack of failed choices of pods: for each, the mask of the spine slots that the chosen pods have in common. */
export class Failures {
  count = 0
  readonly #words: number
  #sets: Int32Array

  constructor(words: number) {
    this.#words = words
    this.#sets = new Int32Array(64 * words)
  }

  add(set: Int32Array, at: number): void {
    const from = this.count * this.#words
    if (from === this.#sets.length) {
      const larger = new Int32Array(2 * from)
      larger.set(this.#sets)
      this.#sets = larger
    }
    for (let word = 0; word < this.#words; word++) this.#sets[from + word] = set[at + word]
    this.count++
  }

  /** Returns true if the mask of any failure from index `first` on contains all slots of the mask from `set[at]` on. */
  cover(first: number, set: Int32Array, at: number): boolean {
    for (let failure = first; failure < this.count; failure++) {
      const from = failure * this.#words
      let word = 0
      while (word < this.#words && (set[at + word] & ~this.#sets[from + word]) === 0) word++
      if (word === this.#words) return true
    }
    return false
  }

  forget(from: number): void {
    this.count = from
  }
}
