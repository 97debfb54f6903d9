import type { CellResult } from './cell-result.ts'

/** Returns a remark for each set of resamplings that draw the same jobs from a trace, and so are no replicates. */
export function equalResamples(results: ReadonlyArray<CellResult>): ReadonlyArray<string> {
  const drawn = new Map<string, { readonly trace: string; readonly specs: Set<string> }>()
  for (const { cell, workload } of results) {
    if (cell.resample === undefined) continue
    // The key has policy and scenario, because a scenario changes run times, and so the checksum, only under some
    // policies.
    const key = JSON.stringify([cell.trace, cell.policy, cell.scenario, workload.sha256])
    const same = drawn.get(key) ?? { trace: cell.trace, specs: new Set() }
    same.specs.add(cell.resample)
    drawn.set(key, same)
  }
  const equal = [...drawn.values()].filter(({ specs }) => specs.size > 1)
  return [
    ...new Set(
      equal.map(
        ({ trace, specs }) => `${trace}: ${[...specs].join(', ')} draw the same jobs, and count as one replicate`,
      ),
    ),
  ]
}
