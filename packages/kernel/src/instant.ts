/** The instant that is being simulated, shared by all that records something. */
export interface Instant {
  /** Integer milliseconds. */
  now: number
  /** Seq of the instant's last input, or of the last kill where it has none: the cause of what is decided. */
  cause: number
  /** Counts scheduling passes. */
  pass: number
}
