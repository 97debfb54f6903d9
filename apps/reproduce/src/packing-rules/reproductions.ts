import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Of rules that production schedulers pack jobs by, which no paper compares. */
export const packingRules: ReadonlyArray<Reproduction> = [
  {
    name: 'packing-rules',
    title: 'Which packing rule fragments least: blocks of Slurm and Kueue beside other policies',
    source: 'ours',
    produce: onDemand(async () => (await import('./packing-rules.ts')).packingRules),
  },
]
