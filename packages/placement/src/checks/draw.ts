import { seededDraws } from '@cloister/topology'

/** Seeded draws for random histories: the same seed gives the same history everywhere. */
export class Draw {
  /** An integer in [0, below). */
  readonly below: (below: number) => number

  constructor(seed: number) {
    this.below = seededDraws(seed)
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
