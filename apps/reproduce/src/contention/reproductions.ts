import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Experiments in which contention lengthens run times; the Jigsaw and Pollard papers assume speed-ups instead. */
export const contention: ReadonlyArray<Reproduction> = [
  {
    name: 'isolation-pays',
    title: 'Jigsaw relative to Baseline by share of communication, with contention instead of assumed speed-ups',
    source: 'ours, beside Smith and Lowenthal, Figures 6 to 8, and Pollard et al., Table I',
    produce: onDemand(async () => (await import('./isolation-pays.ts')).isolationPays),
  },
  {
    name: 'isolation-pays-by-log',
    title: 'Share of communication from which on isolation pays, by job log and scheme',
    source:
      'ours, instead of the assumed speed-ups of Smith and Lowenthal, Figures 6 to 8, and Pollard et al., Table I',
    produce: onDemand(async () => (await import('./by-log.ts')).byLog),
  },
]
