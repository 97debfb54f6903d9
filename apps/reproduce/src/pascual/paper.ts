/**
 * Set-up (section III) and results stated by the text (section IV) of J. A. Pascual and J. Miguel-Alonso, Effects of
 * Job Placement on Scheduling Performance (EHU-KAT-IK-09-08, 2008). Values that only a figure shows are left out.
 */
import type { GivenSpec } from '@cloister/run'
import type { PaperTrace } from '../experiment/traces.ts'

export type LogName = 'HPC2N' | 'SDSC' | 'LLNL'

/** Log with all its jobs, of any status. A processor counts as a node of a 4-ary tree with `installed` nodes. */
export interface PaperLog extends PaperTrace {
  readonly name: LogName
  readonly installed: number
}

// All times are in minutes; the paper does not say how they are rounded. It asks for estimates, but two of three jobs
// in the log of LLNL have none, and the others alone never wait. The run time is the estimate of a job without one.
const wholeLog = (log: string): PaperTrace['source'] => ({ log, filter: 'size=requested,times=minutes' })

export const logs: ReadonlyArray<PaperLog> = [
  { name: 'HPC2N', source: wholeLog('hpc2n'), arrivals: 'trace', topology: 'kary:4:4', installed: 240 },
  { name: 'SDSC', source: wholeLog('sdsc-blue'), arrivals: 'trace', topology: 'kary:4:6', installed: 1152 },
  { name: 'LLNL', source: wholeLog('thunder'), arrivals: 'trace', topology: 'kary:4:6', installed: 4008 },
]

export type QueueName = 'FCFS' | 'EASY'

/**
 * Queue disciplines. The paper does not state the window: here it holds all waiting jobs. Backfilled jobs in the way of
 * the reservation at its time are killed.
 */
export const queues: Readonly<Record<QueueName, string>> = { FCFS: 'fcfs', EASY: 'easy:1000000,kill' }

/** Estimates of the users. */
export const estimates: Pick<GivenSpec, 'estimates'> = { estimates: 'requested' }

/** Searches for nodes. The paper names `relaxed` as future work: a level above the job's is searched too. */
export const searches = ['first-fit', 'contiguous', 'relaxed'] as const
export type Search = (typeof searches)[number]

/** Shares by which contiguous jobs are sped up. */
export const factors: ReadonlyArray<number> = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]

/** Mean wait under contiguous allocation relative to non-contiguous, without speed-up, for any log and queue. */
export const waitWithoutSpeedup = { low: 7, high: 100 } as const

/** Speed-up from which on jobs spend less time in the system if contiguous. LLNL's is slightly higher than SDSC's. */
export const thresholds: Readonly<Record<Exclude<LogName, 'LLNL'>, { readonly low: number; readonly high: number }>> = {
  HPC2N: { low: 0.25, high: 0.25 },
  SDSC: { low: 0.25, high: 0.3 },
}
/** Speed-up from which on contiguous allocation is ahead, for all logs (section V). */
export const anyThreshold = { low: 0.25, high: 0.3 } as const
