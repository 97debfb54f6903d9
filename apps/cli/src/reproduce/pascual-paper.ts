/**
 * What J. A. Pascual and J. Miguel-Alonso say, Effects of Job Placement on Scheduling Performance, Technical Report
 * EHU-KAT-IK-09-08, 2008. Its figures have no numbers on them but those that the text states.
 */
import type { GivenCell } from '../cell.ts'
import type { Scheme, PaperTrace } from './jigsaw-paper.ts'

type Search = 'contiguous' | 'relaxed' | 'first-fit'

/** A log (section III), the k-ary n-tree that is simulated for it, and how much of that is installed: a processor is a node. */
export interface Machine extends Omit<PaperTrace, 'table1'> {
  readonly installed: number
}

// Every status, times in minutes (section III); jobs without an estimate in logs that have them count as estimated to the minute. The
// text names larger versions of the logs than the cleaned ones at hand.
const filter = 'size=requested,times=minutes'
export const machines: ReadonlyArray<Machine> = [
  { name: 'HPC2N', source: { file: 'HPC2N-2002-2.2-cln.swf', filter }, arrivals: 'trace', topology: 'kary:4:4', installed: 240 },
  { name: 'LLNL', source: { file: 'LLNL-Thunder-2007-1.1-cln.swf', filter }, arrivals: 'trace', topology: 'kary:4:6', installed: 4008 },
  { name: 'SDSC', source: { file: 'SDSC-BLUE-2000-4.1-cln.swf', filter }, arrivals: 'trace', topology: 'kary:4:6', installed: 1152 },
]

/** Scheduling policies (section III). How many jobs EASY looks at is not said; who is killed for a reservation is gone. */
export const disciplines = [
  { name: 'FCFS', queue: 'fcfs' },
  { name: 'backfilling', queue: 'easy:100,kill' },
] as const
export type Discipline = (typeof disciplines)[number]['name']

/** Allocation policies: the two of the paper, and the one that its section V announces. */
export function schemeOf(search: Search, { installed }: Machine): Scheme {
  const cell: Pick<GivenCell, 'policy' | 'walltime'> = { policy: { name: 'contiguous', config: { search, installed } }, walltime: 'trace' }
  return { name: search, policy: 'contiguous', cell }
}

export const speedups: ReadonlyArray<{ readonly name: string; readonly scenario: string }> = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4].map((factor) => ({
  name: String(factor), scenario: factor === 0 ? 'none' : `pascual:${factor}`,
}))

/** Waiting times without speed-up, relative to non-contiguous allocation (section IV, Figure 2). */
export const waitWithoutSpeedup = { low: 7, high: 100 } as const
/** Speed-up factors from which contiguous allocation wins in total time (section IV, Figures 3 and 5). */
export const thresholds: Readonly<Record<string, { readonly low: number; readonly high: number }>> = {
  HPC2N: { low: 0.25, high: 0.25 }, SDSC: { low: 0.25, high: 0.3 }, LLNL: { low: 0.25, high: 0.35 },
}
