import { onDemand } from '../experiment/experiment.ts'
import type { Reproduction, WithoutLogs } from '../experiment/reproduction.ts'

const describesLogs: WithoutLogs = { runs: 'none', reason: 'it describes job logs and simulates nothing' }

/** Reproductions of the Pollard paper, by Pollard, Jain, Herbein and Bhatele. */
export const pollard: ReadonlyArray<Reproduction> = [
  {
    name: 'pollard-table1',
    title: 'Mean waits, with and without isolation, and with speed-ups',
    source: 'Pollard et al., section V-E, Table I',
    produce: onDemand(async () => (await import('./cost-of-isolation.ts')).table1),
  },
  {
    name: 'pollard-fig5',
    title: 'Nodes requested in every hour',
    source: 'Pollard et al., section IV-B, Figures 5 and 11',
    withoutLogs: describesLogs,
    produce: onDemand(async () => (await import('./requests.ts')).fig5),
  },
  {
    name: 'pollard-fig6',
    title: 'Jobs by the nodes that they request',
    source: 'Pollard et al., sections IV-B and V-D, Figures 6 and 12',
    withoutLogs: describesLogs,
    produce: onDemand(async () => (await import('./requests.ts')).fig6),
  },
  {
    name: 'pollard-fig7',
    title: 'Average pairwise hops, with and without isolation',
    source: 'Pollard et al., section V-A, Figure 7',
    produce: onDemand(async () => (await import('./hops.ts')).fig7),
  },
  {
    name: 'pollard-fig8',
    title: 'Utilization by the minute',
    source: 'Pollard et al., section V-C, Figure 8',
    produce: onDemand(async () => (await import('./cost-of-isolation.ts')).fig8),
  },
  {
    name: 'pollard-fig9',
    title: 'Makespans, and whether jobs 10 % faster pay for the isolation',
    source: 'Pollard et al., sections V-D and VII, Figure 9',
    produce: onDemand(async () => (await import('./cost-of-isolation.ts')).fig9),
  },
  {
    name: 'pollard-fig10',
    title: 'Waits by job size',
    source: 'Pollard et al., section V-E, Figure 10',
    produce: onDemand(async () => (await import('./cost-of-isolation.ts')).fig10),
  },
]
