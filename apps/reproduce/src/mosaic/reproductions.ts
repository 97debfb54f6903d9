import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'
import { ours } from './schemes.ts'

/** Reproductions of Mosaic, a policy of no paper, beside the policies of the Jigsaw paper. */
export const mosaic: ReadonlyArray<Reproduction> = [
  {
    name: 'mosaic',
    title:
      'Average system utilization under Mosaic and under the policies of the Jigsaw paper, five workloads of each trace',
    source: 'ours, in the form of Figure 6 of the Jigsaw paper',
    discipline: ours,
    produce: onDemand(async () => (await import('./utilization.ts')).utilization),
  },
  {
    name: 'mosaic-queue',
    title: 'What each option of EASY gives to Baseline, Jigsaw and Mosaic',
    source: 'ours',
    produce: onDemand(async () => (await import('./queue-options.ts')).queueOptions),
  },
  {
    name: 'mosaic-arrivals',
    title: 'Turnaround relative to Baseline with real arrivals, by exact estimates and by those of users',
    source: 'ours, in the form of Figure 7 of the Jigsaw paper',
    discipline: ours,
    produce: onDemand(async () => (await import('./arrivals.ts')).arrivals),
  },
  {
    name: 'mosaic-ablation',
    title: 'What each part of Mosaic gives',
    source: 'ours',
    discipline: ours,
    produce: onDemand(async () => (await import('./ablation.ts')).ablation),
  },
  {
    name: 'mosaic-other-logs',
    title: 'Utilization on logs that nothing of Mosaic was chosen on',
    source: 'ours',
    discipline: ours,
    produce: onDemand(async () => (await import('./other-logs.ts')).otherLogs),
  },
]
