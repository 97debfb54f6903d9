/**
 * Function that is called with each pair of ranks that communicate in a step. `size` is the sum of the messages in both
 * directions, in units of the pattern's smallest message, or in bytes for a matrix.
 */
export type Pair = (first: number, second: number, size: number) => void

/** Communication pattern of a job: the pairs of communicating ranks in each step. */
export interface Pattern {
  /** Name of the pattern, as in jobs and event logs. */
  readonly name: string
  /**
   * Calls `pair` with the pairs of a job with `ranks` ranks, step by step. The pairs of a step communicate at the same
   * time. Each pair has two different ranks and occurs at most once in a step.
   *
   * @param endOfStep function that is called after each step; `times` is the number of repetitions of the step
   */
  forEachPair(ranks: number, pair: Pair, endOfStep: (times: number) => void): void
}
