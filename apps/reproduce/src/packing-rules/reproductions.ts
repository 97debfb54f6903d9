import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproduction that compares packing rules of production schedulers. No paper has this comparison. */
export const packingRules: ReadonlyArray<Reproduction> = [
  {
    name: 'packing-rules',
    title: 'Which packing rule fragments least: blocks of Slurm and Kueue beside other policies',
    source: 'ours',
    produce: onDemand(async () => (await import('./packing-rules.ts')).packingRules),
  },
]
