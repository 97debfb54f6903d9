import type { HashFunction, Route } from '@cloister/eventlog'

/** Part of the state digest for the forwarding tables (SPEC.md, "Seals"). */
export class TablesDigest {
  readonly #hash: HashFunction
  /** The eight sums, modulo 2^32. */
  readonly #sums: Array<number> = Array.from({ length: 8 }, () => 0)
  /** Sums of the route records of each job. */
  readonly #ofJob: Map<string, Array<number>> = new Map()

  constructor(hash: HashFunction) {
    this.#hash = hash
  }

  follow({ seq, job, entries, undo }: Route): void {
    if (undo !== undefined) {
      if (job === undefined) return
      add(this.#sums, this.#ofJob.get(job) ?? [], -1)
      this.#ofJob.delete(job)
    } else if (entries !== undefined) {
      const words = this.#wordsOf([seq, entries.join(',')].join(' '))
      add(this.#sums, words, 1)
      if (job !== undefined) this.#ofJob.set(job, add([...(this.#ofJob.get(job) ?? words.map(() => 0))], words, 1))
    }
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#sums.flatMap((sum) => [0, 8, 16, 24].map((shift) => (sum >>> shift) & 255)))
  }

  #wordsOf(text: string): ReadonlyArray<number> {
    const computation = this.#hash()
    computation.update(new TextEncoder().encode(text))
    const bytes = computation.digest()
    return this.#sums.map((_, i) => [3, 2, 1, 0].reduce((word, at) => word * 256 + bytes[4 * i + at], 0))
  }
}

function add(sums: Array<number>, words: ReadonlyArray<number>, sign: 1 | -1): Array<number> {
  words.forEach((word, i) => {
    sums[i] = (sums[i] + sign * word + 2 ** 32) % 2 ** 32
  })
  return sums
}
