import type { Placement, Refusal } from '@cloister/placement'

/** Decision of a second policy about a job, in a state of the log. */
export type OtherDecision =
  /** The log started the job, and the policy chooses the same nodes and links. */
  | { readonly kind: 'same' }
  /** The log started the job, and the policy chooses different nodes or links. */
  | { readonly kind: 'elsewhere'; readonly placement: Placement }
  /** The log started the job, and the policy refuses the job. */
  | { readonly kind: 'refuses'; readonly refusal: Refusal }
  /** The log let the job wait, and the policy starts the job. Counted once for each job, at the first time. */
  | { readonly kind: 'starts'; readonly placement: Placement }
  /** The log rejected the job, and the policy places the job on the empty machine. */
  | { readonly kind: 'accepts' }

/** Decision of the log that the second policy does not share. */
export type DecisionDifference = Exclude<OtherDecision, { readonly kind: 'same' }> & {
  readonly job: string
  /** Time of the log's decision, in seconds. */
  readonly t: number
  /**
   * Record of the log's decision; for kind `starts`, the last record of the instant at which the log let the job wait.
   */
  readonly seq: number
}

/** Number of a log's decisions by the kind of the second policy's decision. */
export interface DecisionComparison {
  readonly counts: Readonly<Record<OtherDecision['kind'], number>>
}
