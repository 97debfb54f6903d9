import type { RunSpec } from '@cloister/run'

/** Run of an experiment without a result, with the reason. */
export interface FailedRun {
  readonly cell: RunSpec
  readonly reason: string
}

/** Number of runs without a result for the same reason, and the first of these runs. */
export interface FailedRuns {
  readonly reason: string
  readonly cells: number
  readonly first: RunSpec
}

/** Groups failed runs by the reason, the most frequent reason first. */
export function byReason(failed: ReadonlyArray<FailedRun>): ReadonlyArray<FailedRuns> {
  const groups = new Map<string, Array<RunSpec>>()
  for (const { cell, reason } of failed) groups.set(reason, [...(groups.get(reason) ?? []), cell])
  return [...groups]
    .map(([reason, cells]): FailedRuns => ({ reason, cells: cells.length, first: cells[0] }))
    .sort((a, b) => b.cells - a.cells)
}
