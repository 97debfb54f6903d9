/** Seeded draws for random histories (mulberry32): the same seed gives the same history everywhere. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** An integer in [0, below). */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let x = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 4294967296) * below)
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(from: ReadonlyArray<T>): T {
    return from[this.below(from.length)]
  }

  /** So many of these, in random order. */
  sample<T>(from: ReadonlyArray<T>, count: number): Array<T> {
    const rest = [...from]
    return Array.from({ length: count }, () => rest.splice(this.below(rest.length), 1)[0])
  }
}
