/**
 * What J. A. Pascual and J. Miguel-Alonso, Effects of Job Placement on Scheduling Performance (EHU-KAT-IK-09-08, 2008), say: the
 * set-up (section III) and what the text states of the results (section IV). What can only be read off its figures is not here.
 */
import type { GivenSpec } from '@cloister/run'
import type { PaperTrace } from '../experiment/traces.ts'

export type LogName = 'HPC2N' | 'SDSC' | 'LLNL'

/** A log, every job of it whatever became of it, its processors on the nodes of a 4-ary tree of which only so many are installed. */
export interface PaperLog extends PaperTrace {
  readonly name: LogName
  readonly installed: number
}

// All times are in minutes; how they are rounded the paper does not say. It asks for estimates, but two of three jobs in the log of LLNL have
// none, and the others alone never wait: there the run time is taken for the estimate.
const wholeLog = (log: string): PaperTrace['source'] => ({ log, filter: 'size=requested,times=minutes' })

export const logs: ReadonlyArray<PaperLog> = [
  { name: 'HPC2N', source: wholeLog('hpc2n'), arrivals: 'trace', topology: 'kary:4:4', installed: 240 },
  { name: 'SDSC', source: wholeLog('sdsc-blue'), arrivals: 'trace', topology: 'kary:4:6', installed: 1152 },
  { name: 'LLNL', source: wholeLog('thunder'), arrivals: 'trace', topology: 'kary:4:6', installed: 4008 },
]

export type QueueName = 'FCFS' | 'EASY'

/** How many jobs backfilling looks at is not stated: here, all that wait. Backfilled jobs in the way of the reservation at its time are killed. */
export const queues: Readonly<Record<QueueName, string>> = { FCFS: 'fcfs', EASY: 'easy:1000000,kill' }

/** Estimates are the users'. */
export const estimates: Pick<GivenSpec, 'estimates'> = { estimates: 'requested' }

/** `relaxed` is named as future work: a level above the job's is searched too. */
export const searches = ['first-fit', 'contiguous', 'relaxed'] as const
export type Search = (typeof searches)[number]

/** Shares by which contiguous jobs are sped up. */
export const factors: ReadonlyArray<number> = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]

/** Mean wait under contiguous allocation relative to non-contiguous, without speed-up, for any log and queue. */
export const waitWithoutSpeedup = { low: 7, high: 100 } as const

/** Speed-up from which on jobs spend less time in the system under contiguous allocation. That of LLNL is slightly higher than SDSC's. */
export const thresholds: Readonly<Record<Exclude<LogName, 'LLNL'>, { readonly low: number; readonly high: number }>> = {
  HPC2N: { low: 0.25, high: 0.25 },
  SDSC: { low: 0.25, high: 0.3 },
}
/** Of all logs (section V). */
export const anyThreshold = { low: 0.25, high: 0.3 } as const
