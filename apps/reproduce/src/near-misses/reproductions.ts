import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproductions of values that came out just outside of a paper's values. */
export const nearMisses: ReadonlyArray<Reproduction> = [
  {
    name: 'near-misses',
    title: "Values that are just outside of a paper's: what was varied, and how far it moved them",
    source: 'ours, beside Smith and Lowenthal, section 6, and Pascual and Miguel-Alonso, Figure 2',
    produce: onDemand(async () => (await import('./near-misses.ts')).nearMisses),
  },
]
