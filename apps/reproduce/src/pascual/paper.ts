/**
 * Set-up (section III) and results stated by the text (section IV) of J. A. Pascual and J. Miguel-Alonso, Effects of
 * Job Placement on Scheduling Performance, EHU-KAT-IK-09-08, 2008 (the Pascual paper). Values that only a figure shows
 * are left out.
 */
import type { GivenSpec } from '@cloister/run'
import type { PaperTrace } from '../experiment/services.ts'

export type LogName = 'HPC2N' | 'SDSC' | 'LLNL'

/**
 * Job log of the Pascual paper with jobs of any status. A processor counts as a node of a 4-ary tree of which
 * `installed` nodes are installed.
 */
export interface PaperLog extends PaperTrace {
  readonly name: LogName
  readonly installed: number
}

// The Pascual paper has times in minutes, and does not say how times are rounded. Two of three jobs in the log of LLNL
// have no estimate; without these jobs no job would wait. So the run time replaces a missing estimate.
const wholeLog = (log: string): PaperTrace['source'] => ({ log, filter: 'size=requested,times=minutes' })

export const logs: ReadonlyArray<PaperLog> = [
  { name: 'HPC2N', source: wholeLog('hpc2n'), arrivals: 'trace', topology: 'kary:4:4', installed: 240 },
  { name: 'SDSC', source: wholeLog('sdsc-blue'), arrivals: 'trace', topology: 'kary:4:6', installed: 1152 },
  { name: 'LLNL', source: wholeLog('thunder'), arrivals: 'trace', topology: 'kary:4:6', installed: 4008 },
]

export type QueueName = 'FCFS' | 'EASY'

/**
 * Queue disciplines of the Pascual paper. The paper does not state the window; here the window has all waiting jobs.
 * EASY kills backfilled jobs that still hold nodes of the reservation when the reservation begins.
 */
export const queues: Readonly<Record<QueueName, string>> = { FCFS: 'fcfs', EASY: 'easy:1000000,kill' }

/** Option of all runs: the scheduler's estimates are the users' requests. */
export const estimates: Pick<GivenSpec, 'estimates'> = { estimates: 'requested' }

/** Searches for nodes. `relaxed`, the Pascual paper's future work, also searches one level above the job's level. */
export const searches = ['first-fit', 'contiguous', 'relaxed'] as const
export type Search = (typeof searches)[number]

/** Speed-up factors of the Pascual paper: shares by which the run times of contiguous jobs are shortened. */
export const factors: ReadonlyArray<number> = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]

/** Mean wait under contiguous allocation relative to first fit, without speed-up, for any log and queue discipline. */
export const waitWithoutSpeedup = { low: 7, high: 100 } as const

/**
 * Speed-up from which on jobs spend less time in the system under contiguous allocation than under first fit. LLNL's
 * value is slightly higher than SDSC's.
 */
export const thresholds: Readonly<Record<Exclude<LogName, 'LLNL'>, { readonly low: number; readonly high: number }>> = {
  HPC2N: { low: 0.25, high: 0.25 },
  SDSC: { low: 0.25, high: 0.3 },
}
/** Speed-up from which on contiguous allocation is ahead of first fit, for all logs (section V). */
export const anyThreshold = { low: 0.25, high: 0.3 } as const
