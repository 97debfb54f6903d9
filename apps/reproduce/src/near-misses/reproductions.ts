import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproductions of values that came out just outside of a paper's values. */
export const nearMisses: ReadonlyArray<Reproduction> = [
  {
    name: 'near-misses',
    title: "Values just outside of a paper's values, under other readings of the paper",
    source: 'ours, beside Smith and Lowenthal, section 6, and Pascual and Miguel-Alonso, Figure 2',
    produce: onDemand(async () => (await import('./near-misses.ts')).nearMisses),
  },
]
