import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction, WithoutLogs } from '../experiment/reproduction.ts'

/** Experiments with the queue of weaker-backfilling.ts, which `simulate` does not have, write no event log. */
const ownQueue: WithoutLogs = { runs: 'none', reason: 'a simulation of its own runs the jobs' }

/** Reproductions of the Pascual paper, by Pascual and Miguel-Alonso. */
export const pascual: ReadonlyArray<Reproduction> = [
  {
    name: 'pascual-fig2',
    title: 'Mean wait under contiguous allocation without speed-up, relative to non-contiguous',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 2',
    produce: onDemand(async () => (await import('./runs.ts')).waitsOfContiguous),
  },
  {
    name: 'pascual-fig3',
    title: 'Mean total time on HPC2N by speed-up factor, contiguous and not',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 3',
    produce: onDemand(async () => (await import('./runs.ts')).totalsOfHpc2n),
  },
  {
    name: 'pascual-fig4',
    title: 'Mean wait on HPC2N by speed-up factor, contiguous and not',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 4',
    produce: onDemand(async () => (await import('./runs.ts')).waitsOfHpc2n),
  },
  {
    name: 'pascual-fig5',
    title: 'Mean total time on SDSC and LLNL by speed-up factor, contiguous and not, with backfilling',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 5',
    produce: onDemand(async () => (await import('./runs.ts')).totalsOfOthers),
  },
  {
    name: 'pascual-backfilling',
    title: 'Waits and thresholds under weaker readings of backfilling',
    source: 'Pascual and Miguel-Alonso, section III; ours',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./readings.ts')).backfilling),
  },
  {
    name: 'pascual-rounding',
    title: 'Waits under contiguous beside first fit, by seconds added before times are rounded to minutes',
    source: 'ours, beside Pascual and Miguel-Alonso, Figure 2',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./readings.ts')).rounding),
  },
]
