import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproductions on the packing rules of production schedulers, compared in no paper. */
export const packingRules: ReadonlyArray<Reproduction> = [
  {
    name: 'packing-rules',
    title: 'Which packing rule fragments least: blocks of Slurm and Kueue beside other policies',
    source: 'ours',
    produce: onDemand(async () => (await import('./packing-rules.ts')).packingRules),
  },
]
