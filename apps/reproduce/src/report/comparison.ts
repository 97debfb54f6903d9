/** Value or statement of a paper, and our result beside it. */
export interface Comparison {
  /** Section, figure or table of the paper. */
  readonly section: string
  readonly what: string
  /** Value of the paper, as a range if the paper states a range or rounds. Null for a statement without a number. */
  readonly paper: { readonly low: number; readonly high: number } | null
  /** Our value, or true if the paper's statement holds; null if a trace or a policy is not at hand. */
  readonly ours: number | boolean | null
  /**
   * Our value minus the nearest value of the paper's range, 0 inside the range. For the unit `seconds`, our value
   * divided by the nearest value. Null if one of the values is missing.
   */
  readonly difference: number | null
  readonly unit: Unit
}

/**
 * Unit of a compared value.
 * - share: a fraction of 1; a difference is in percentage points.
 * - points: a difference of two shares.
 * - ratio: a value relative to Baseline's value, or a factor.
 * - count: a number of jobs, nodes or samples.
 * - hours: a wait or another length of time.
 * - seconds: a scheduling time; a difference is a factor.
 * - statement: no number; the statement holds or does not hold.
 */
export type Unit = 'share' | 'points' | 'ratio' | 'count' | 'hours' | 'seconds' | 'statement'

/** Compares a paper's value, or a range from `low` to `high`, with our value. */
export function compare(
  section: string,
  what: string,
  unit: Exclude<Unit, 'statement'>,
  paper: number | { readonly low: number; readonly high: number },
  ours: number | null | undefined,
): Comparison {
  const { low, high } = typeof paper === 'number' ? { low: paper, high: paper } : paper
  const nearest = ours === null || ours === undefined ? undefined : Math.min(Math.max(ours, low), high)
  const difference = nearest === undefined ? null : unit === 'seconds' ? ours! / nearest : ours! - nearest
  return { section, what, unit, paper: { low, high }, ours: ours ?? null, difference }
}

/** Compares a paper's statement without a number. @param holds true if our runs have it; undefined if unknown */
export function state(section: string, what: string, holds: boolean | undefined): Comparison {
  return { section, what, unit: 'statement', paper: null, ours: holds ?? null, difference: null }
}
