/** The simulated instant, shared by all objects that write records. */
export interface Instant {
  /** Current time, integer milliseconds. */
  now: number
  /**
   * Seq of the record that causes the decisions of the instant: the last input, or the last kill at an estimate or for
   * a reservation. Without both, the cause is the reservation that called for the pass, or 0.
   */
  cause: number
  /** Count of scheduling passes. */
  pass: number
}
