import type { CellResult } from './cell-result.ts'

/** Returns a sentence for each trace with equal jobs in several resamplings. Their runs are no replicates. */
export function equalResamples(results: ReadonlyArray<CellResult>): ReadonlyArray<string> {
  const drawn = new Map<string, { readonly trace: string; readonly specs: Set<string> }>()
  for (const { cell, workload } of results) {
    if (cell.resample === undefined) continue
    // A scenario changes run times, and therefore the checksum, but only under some policies.
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
