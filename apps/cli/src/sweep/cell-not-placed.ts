import type { Metrics, NotPlaced } from '@cloister/metrics'
import type { RunSpec } from '@cloister/run'
import { describeJobs, notPlacedLabels } from '../run/not-placed.ts'
import type { CellResult } from './cell-result.ts'

/** Cell of a sweep, with counts of the jobs that never started: rejected jobs, and jobs that still wait at the end. */
export interface CellNotPlaced extends NotPlaced {
  readonly cell: RunSpec
}

/** Returns the cells in which some jobs never started. */
export function cellsWithNotPlaced(results: ReadonlyArray<CellResult>): ReadonlyArray<CellNotPlaced> {
  return results.flatMap((result) => {
    const notPlaced = notPlacedOf(result)
    if (notPlaced === undefined || notPlaced.rejected.jobs + notPlaced.waiting.jobs === 0) return []
    return [{ cell: result.cell, ...notPlaced }]
  })
}

/** Returns a column of a table for each kind of jobs that never started, if any cell has jobs of this kind. */
export function notPlacedColumns(results: ReadonlyArray<CellResult>): {
  readonly heading: ReadonlyArray<string>
  readonly of: (result: CellResult) => ReadonlyArray<string>
} {
  const shown = notPlacedLabels.filter(([name]) =>
    results.some((result) => (notPlacedOf(result)?.[name].jobs ?? 0) > 0),
  )
  return {
    heading: shown.map(([, label]) => label.toUpperCase()),
    of: (result) => {
      const notPlaced = notPlacedOf(result)
      return shown.map(([name]) =>
        notPlaced === undefined ? '-' : describeJobs(notPlaced[name], result.totals.submitted),
      )
    },
  }
}

/** Returns the counts of the jobs that never started, undefined for a result of an older program without this field. */
function notPlacedOf({ metrics }: CellResult): NotPlaced | undefined {
  const { notPlaced }: Partial<Metrics> = metrics
  return notPlaced
}
