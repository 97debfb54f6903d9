/** The current instant, shared by all objects that write records. */
export interface Instant {
  now: number
  /**
   * Seq of the record that causes the decisions of the instant: the last input, or the last kill at an estimate or for
   * a reservation. Without such a record, the seq of the reserve record whose start caused the pass, or 0.
   */
  cause: number
  pass: number
}
