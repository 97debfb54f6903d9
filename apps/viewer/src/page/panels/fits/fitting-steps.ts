import type { FittingSizes } from '@cloister/replay'

/** Consecutive sizes, from `from` to `to` nodes, for which the same number `jobs` of jobs would fit. */
export interface FittingStep {
  readonly from: number
  readonly to: number
  readonly jobs: number
}

/** Joins consecutive job sizes of which the same number of jobs would fit. A size not asked about is in no step. */
export function fittingSteps({ sizes, jobs }: FittingSizes): ReadonlyArray<FittingStep> {
  const steps: Array<{ readonly from: number; to: number; readonly jobs: number }> = []
  for (const [at, size] of sizes.entries()) {
    const last = steps.at(-1)
    if (last !== undefined && last.jobs === jobs[at] && last.to === size - 1) last.to = size
    else steps.push({ from: size, to: size, jobs: jobs[at] })
  }
  return steps
}

/** A bin of job sizes, `from` (a power of two) to `to` nodes, and the share (0 to 1) of the idle nodes in use. */
export interface FittingBar {
  readonly from: number
  readonly to: number
  readonly share: number
}

/** Returns for each bin of job sizes the least share of the `idle` nodes that jobs of one size of the bin would use. */
export function fittingBars(found: FittingSizes, idle: number): ReadonlyArray<FittingBar> {
  const bars = new Map<number, FittingBar>()
  for (const [at, size] of found.sizes.entries()) {
    const from = 2 ** Math.floor(Math.log2(size))
    const share = (found.jobs[at] * size) / idle
    const before = bars.get(from)
    bars.set(from, { from, to: size, share: Math.min(before?.share ?? 1, share) })
  }
  return [...bars.values()]
}
