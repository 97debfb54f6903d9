import type { CellResult } from './cell-result.ts'

/** A sentence for each trace of which several resamplings drew the same jobs: their runs are no replicates of each other. */
export function equalResamples(results: ReadonlyArray<CellResult>): ReadonlyArray<string> {
  const drawn = new Map<string, { readonly trace: string; readonly specs: Set<string> }>()
  for (const { cell, workload } of results) {
    if (cell.resample === undefined) continue
    // A scenario changes run times, and so the sum, under some policies alone.
    const key = JSON.stringify([cell.trace, cell.policy, cell.scenario, workload.sha256])
    const same = drawn.get(key) ?? { trace: cell.trace, specs: new Set() }
    same.specs.add(cell.resample)
    drawn.set(key, same)
  }
  const equal = [...drawn.values()].filter(({ specs }) => specs.size > 1)
  return [
    ...new Set(
      equal.map(({ trace, specs }) => `${trace}: ${[...specs].join(', ')} draw the same jobs: they are one replicate`),
    ),
  ]
}
