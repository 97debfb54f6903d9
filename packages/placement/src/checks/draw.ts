import { seededDraws } from '@cloister/topology'

/** Random draws. Equal seeds give equal draws on every machine. */
export class Draw {
  /** Draws an integer from 0 to `below` - 1. */
  readonly below: (below: number) => number

  constructor(seed: number) {
    this.below = seededDraws(seed)
  }

  /** Returns true with probability 1/`times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(from: ReadonlyArray<T>): T {
    return from[this.below(from.length)]
  }

  sample<T>(from: ReadonlyArray<T>, count: number): Array<T> {
    const rest = [...from]
    return Array.from({ length: count }, () => rest.splice(this.below(rest.length), 1)[0])
  }
}
