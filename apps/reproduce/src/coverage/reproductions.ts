import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproduction that lists the items of every paper, covered or missing. */
export const coverage: ReadonlyArray<Reproduction> = [
  {
    name: 'coverage',
    title: 'Every figure, table, algorithm and claim of the papers: the command or test for it, and the verdict',
    source: 'all papers',
    withoutLogs: { runs: 'none', reason: 'it lists reproductions and simulates nothing' },
    produce: onDemand(async () => (await import('./coverage.ts')).coverage),
  },
]
