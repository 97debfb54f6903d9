import { describeSpec, type RunSpec } from '@cloister/run'
import { count } from '../terminal/quantities.ts'

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

/** Returns a line for each reason of failed runs: number of runs, first run, reason. */
export function reasonLines(failed: ReadonlyArray<FailedRun>): ReadonlyArray<string> {
  return byReason(failed).map(
    ({ reason, cells, first }) =>
      `  ${cells === 1 ? '1 run' : `${count(cells)} runs, first`} ${describeSpec(first)}: ${reason}`,
  )
}

/** Returns the remark on failed runs: the number of failed runs, then a line for each reason. */
export function failedText(failed: ReadonlyArray<FailedRun>, runs: number): string {
  return [`${count(failed.length)} of ${count(runs)} runs failed:`, ...reasonLines(failed)].join('\n')
}
