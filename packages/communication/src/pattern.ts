/**
 * Visits two ranks that communicate. `size` is the sum of both directions in this step, in units of the pattern's
 * smallest message; for a matrix, in bytes.
 */
export type Pair = (first: number, second: number, size: number) => void

/** The pairs of communicating ranks in each step of a job. */
export interface Pattern {
  /** Name as in jobs and logs. */
  readonly name: string
  /**
   * Visits the pairs of a job with `ranks` ranks, step by step. The pairs of a step communicate at once. Each pair is
   * visited once a step and has two different ranks.
   *
   * @param endOfStep called after each step; `times` is the number of repetitions of the step
   */
  forEachPair(ranks: number, pair: Pair, endOfStep: (times: number) => void): void
}
