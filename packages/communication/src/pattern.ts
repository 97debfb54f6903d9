/**
 * Two ranks communicate. `size`: what they send each other in this step, both ways together, in units of the smallest message of the
 * pattern; for a matrix, in bytes.
 */
export type Pair = (first: number, second: number, size: number) => void

/** In which steps which ranks of a job communicate. */
export interface Pattern {
  /** As in jobs and logs. */
  readonly name: string
  /**
   * Visits the pairs of a job of so many ranks, step by step. The pairs of a step communicate at once, each is visited once in it, and
   * none is of one rank alone.
   *
   * @param endOfStep `times`: how often the same step is taken
   */
  forEachPair(ranks: number, pair: Pair, endOfStep: (times: number) => void): void
}
