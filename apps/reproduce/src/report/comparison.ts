/** Value or statement of a paper, and the result here. */
export interface Comparison {
  /** Section, figure or table of the paper. */
  readonly section: string
  readonly what: string
  /** Value of the paper; a range if the paper gives a range or rounds. Null for a statement without a number. */
  readonly paper: { readonly low: number; readonly high: number } | null
  /** Value here, or true if a statement holds; null if a trace or a policy is not at hand. */
  readonly ours: number | boolean | null
  /** Ours less the nearest value of the paper's range, 0 inside; for times the factor. Null if a value is missing. */
  readonly difference: number | null
  readonly unit: Unit
}

/**
 * Unit of a value.
 * - share: of 1; differences are percentage points.
 * - points: a difference of shares.
 * - ratio: relative to Baseline, or a factor.
 * - count: jobs or nodes.
 * - hours: waits.
 * - seconds: times; differences are factors.
 */
export type Unit = 'share' | 'points' | 'ratio' | 'count' | 'hours' | 'seconds' | 'statement'

/** Compares a value of the paper, or a range given by its ends, with ours. */
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

/** Compares a statement of the paper without a number; `holds` is undefined if the answer is unknown. */
export function state(section: string, what: string, holds: boolean | undefined): Comparison {
  return { section, what, unit: 'statement', paper: null, ours: holds ?? null, difference: null }
}
