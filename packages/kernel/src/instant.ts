/** The simulated instant, shared by all objects that write records. */
export interface Instant {
  /** Current time, integer milliseconds. */
  now: number
  /**
   * Seq of the record that causes the decisions of the instant: the last input, or the last kill at an estimate or for
   * a reservation. In an instant without input and kill, the cause is the reserve record whose start caused the pass,
   * or 0 if there is none.
   */
  cause: number
  /** Count of scheduling passes. */
  pass: number
}
