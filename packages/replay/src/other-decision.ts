import type { Placement, Refusal } from '@cloister/placement'

/** What another policy would have decided about a job in a state of the log. */
export type OtherDecision =
  /** The log started it: the other too, on the same nodes and links. */
  | { readonly kind: 'same' }
  /** The other: on other nodes or links. */
  | { readonly kind: 'elsewhere'; readonly placement: Placement }
  /** The other: not at all. */
  | { readonly kind: 'refuses'; readonly refusal: Refusal }
  /** The log let it wait; the other starts it. Counted once for each job, where that happens first. */
  | { readonly kind: 'starts'; readonly placement: Placement }
  /** The log rejected it; the other lets it wait. */
  | { readonly kind: 'accepts' }

/** A decision of the log that the other policy would not have made. */
export type DecisionDifference = Exclude<OtherDecision, { readonly kind: 'same' }> & {
  readonly job: string
  /** Seconds. */
  readonly t: number
  /** The recorded decision, or the last record of the scheduling pass that let the job wait. */
  readonly seq: number
}

/** How many decisions of a log another policy would make too, and how many it would make otherwise, by kind. */
export interface DecisionComparison {
  readonly counts: Readonly<Record<OtherDecision['kind'], number>>
}
