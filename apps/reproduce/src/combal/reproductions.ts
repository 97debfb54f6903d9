import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction, WithoutLogs } from '../experiment/reproduction.ts'

const ownQueue: WithoutLogs = { runs: 'none', reason: 'a simulation of its own runs the jobs' }

/** Reproductions of the results on the Combal slides by Mangat and Malakar: times, communication costs and bytes. */
export const combal: ReadonlyArray<Reproduction> = [
  {
    name: 'combal-table',
    title: 'Hours of execution and of waiting under TopoMatch, uCombal and Combal',
    source: 'Mangat and Malakar, slides of results; programs and matrices are ours',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./table.ts')).table),
  },
  {
    name: 'combal-hpcg',
    title: 'Communication cost of one HPCG job on four switches, by the order of its ranks',
    source: 'Mangat and Malakar, slide of a single job',
    withoutLogs: { runs: 'none', reason: 'it computes the costs of one job' },
    produce: onDemand(async () => (await import('./hpcg.ts')).hpcg),
  },
  {
    name: 'combal-switches',
    title: 'Bytes between and inside switches under TopoMatch, uCombal and Combal',
    source: 'Mangat and Malakar, slides of communications for Theta; programs and matrices are ours',
    withoutLogs: ownQueue,
    produce: onDemand(async () => (await import('./table.ts')).switches),
  },
]
