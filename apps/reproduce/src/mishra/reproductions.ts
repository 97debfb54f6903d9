import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction, WithoutLogs } from '../experiment/reproduction.ts'

const ownQueue: WithoutLogs = { runs: 'none', reason: 'a simulation of its own runs the jobs' }
const placedAlone: WithoutLogs = { runs: 'none', reason: 'it places each job alone and has no queue' }

/** Reproductions of the Mishra paper, by Mishra, Agrawal and Malakar. */
export const mishra: ReadonlyArray<Reproduction> = [
  {
    name: 'mishra-fig1',
    title: 'Two jobs on the same switches, and their contention factor',
    source: 'Mishra et al., sections 1 and 5.3, Figure 1; here by max-min fair rates',
    withoutLogs: { runs: 'none', reason: 'it computes the rates of two jobs' },
    produce: onDemand(async () => (await import('./two-jobs.ts')).fig1),
  },
  {
    name: 'mishra-table3',
    title: 'Hours of execution and of waiting, in continuous runs',
    source: 'Mishra et al., section 6.1, Table 3',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./continuous-runs.ts')).table3),
  },
  {
    name: 'mishra-readings',
    title: 'Results under other readings of points that the paper leaves open, changed one at a time',
    source: 'Mishra et al., section 5; ours',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./readings.ts')).readings),
  },
  {
    name: 'mishra-table4',
    title: 'Execution saved by single jobs, each put into the same machine',
    source: 'Mishra et al., section 6.3, Table 4',
    withoutLogs: placedAlone,
    produce: onDemand(async () => (await import('./single-jobs.ts')).table4),
  },
  {
    name: 'mishra-fig6',
    title: 'Execution saved with mixtures of patterns, sets A to E',
    source: 'Mishra et al., section 6.2, Figure 6',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./continuous-runs.ts')).fig6),
  },
  {
    name: 'mishra-fig7',
    title: 'Execution of single jobs of Theta, quarter by quarter',
    source: 'Mishra et al., section 6.3, Figure 7 (its right half; its left half is mishra-table3)',
    withoutLogs: placedAlone,
    produce: onDemand(async () => (await import('./single-jobs.ts')).fig7),
  },
  {
    name: 'mishra-fig8',
    title: 'Communication cost of a job, by algorithm and number of nodes',
    source: 'Mishra et al., section 6.4, Figure 8',
    withoutLogs: placedAlone,
    produce: onDemand(async () => (await import('./single-jobs.ts')).fig8),
  },
  {
    name: 'mishra-fig9',
    title: 'Turnaround and node-hours of Intrepid by the share of jobs that communicate',
    source: 'Mishra et al., section 6.5, Figure 9',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./continuous-runs.ts')).fig9),
  },
]
