import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction } from '../experiment/reproduction.ts'

/** Reproductions of the Jigsaw paper, by Smith and Lowenthal. */
export const jigsaw: ReadonlyArray<Reproduction> = [
  {
    name: 'jigsaw-table1',
    title: 'Characteristics of the traces',
    source: 'Jigsaw paper, section 5.1, Table 1',
    withoutLogs: { runs: 'none', reason: 'it describes job logs and simulates nothing' },
    produce: onDemand(async () => (await import('./table1.ts')).table1),
  },
  {
    name: 'jigsaw-fig6',
    title: 'Average system utilization',
    source: 'Jigsaw paper, section 6.1, Figure 6',
    produce: onDemand(async () => (await import('./utilization.ts')).fig6),
  },
  {
    name: 'jigsaw-1024',
    title: 'Average system utilization on 1024 nodes',
    source: 'Jigsaw paper, section 5.4.3',
    produce: onDemand(async () => (await import('./utilization.ts')).on1024Nodes),
  },
  {
    name: 'jigsaw-table2',
    title: 'Instantaneous utilization on Thunder: samples at each start and each end of a job, until the last start',
    source:
      'Jigsaw paper, section 6.1, Table 2; under first come, first served (FCFS), which gives the numbers of Table 2, and under EASY',
    produce: onDemand(async () => (await import('./table2.ts')).table2),
  },
  {
    name: 'jigsaw-fig7',
    title: 'Average turnaround time relative to Baseline, of all jobs and of jobs over 100 nodes',
    source: 'Jigsaw paper, section 6.2, Figure 7; on Cab, and on other logs with real arrivals',
    produce: onDemand(async () => (await import('./turnaround.ts')).fig7),
  },
  {
    name: 'jigsaw-fig8',
    title: 'Makespan relative to Baseline',
    source: 'Jigsaw paper, section 6.3, Figure 8',
    produce: onDemand(async () => (await import('./makespan.ts')).fig8),
  },
  {
    name: 'jigsaw-table3',
    title: 'Scheduling time per job',
    source: 'Jigsaw paper, section 6.4, Table 3; here each run in a separate process, one after the other',
    withoutLogs: { runs: 'timed', reason: 'it times the scheduler in processes that write none' },
    produce: onDemand(async () => (await import('./table3.ts')).table3),
  },
  {
    name: 'jigsaw-spread',
    title: 'Utilization and makespan over seeds that draw jobs, bandwidths and speed-ups',
    source: 'ours, beside Figures 6 and 8 of the Jigsaw paper',
    produce: onDemand(async () => (await import('./spread.ts')).spread),
  },
]
