/** A value that the paper states and what came out here. */
export interface Comparison {
  /** Section, figure or table of the paper. */
  readonly section: string
  readonly what: string
  /** A range where the paper gives one, or rounds; null for what is a statement without a number. */
  readonly paper: { readonly low: number; readonly high: number } | null
  /** Null where a trace or a policy is not at hand. */
  readonly ours: number | boolean | null
  /** Ours less the nearest value of the paper's range; 0 inside. As a factor for times. Null where there is nothing to compare. */
  readonly difference: number | null
  readonly unit: Unit
}

/** share: of 1, differences in percentage points. points: a difference of shares. ratio: to Baseline, or a factor. count: jobs or nodes. hours: waits. seconds: times; differences are factors. */
export type Unit = 'share' | 'points' | 'ratio' | 'count' | 'hours' | 'seconds' | 'statement'

/** `paper`: a value, or the ends of a range. */
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

/** Something that the paper says without a number: whether it holds here; undefined where that is not known. */
export function state(section: string, what: string, holds: boolean | undefined): Comparison {
  return { section, what, unit: 'statement', paper: null, ours: holds ?? null, difference: null }
}
