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
    title: 'Utilization under Baseline, Jigsaw and Mosaic with each option of EASY',
    source: 'ours',
    produce: onDemand(async () => (await import('./queue-options.ts')).queueOptions),
  },
  {
    name: 'mosaic-arrivals',
    title: "Turnaround relative to Baseline with real arrivals, by exact estimates and by users' estimates",
    source: 'ours, in the form of Figure 7 of the Jigsaw paper',
    discipline: ours,
    produce: onDemand(async () => (await import('./arrivals.ts')).arrivals),
  },
  {
    name: 'mosaic-ablation',
    title: 'Utilization under Mosaic without some of its parts',
    source: 'ours',
    discipline: ours,
    produce: onDemand(async () => (await import('./ablation.ts')).ablation),
  },
  {
    name: 'mosaic-other-logs',
    title: 'Utilization on job logs that guided no choice in the design of Mosaic',
    source: 'ours',
    discipline: ours,
    produce: onDemand(async () => (await import('./other-logs.ts')).otherLogs),
  },
]
