import { median } from './quantiles.ts'

/** Upper bounds of the classes by which waits are broken down; the last class is open. */
const CLASS_BOUNDS = [1, 4, 16, 64, 256]
/** Run times below this many ms do not blow up the bounded slowdown. */
const SLOWDOWN_BOUND = 10_000

/** One submitted job. Times are integer ms; -1: has not happened. */
export interface JobTimes {
  readonly size: number
  readonly submit: number
  state: 'waiting' | 'running' | 'finished' | 'killed' | 'rejected' | 'cancelled'
  /** Since when it waits, or last waited. */
  queued: number
  /** Of the last run. */
  start: number
  /** Of the last run. */
  end: number
  waited: number
  /** How long its runs took that are over. */
  ran: number
  /** Of the last run, as far as it is known: in 1/1000 of that at which it runs by itself, since when, and ms of progress made before. */
  rate: number
  rateSince: number
  progress: number
  /** Held by the current run. */
  nodes: Int32Array
}

/** Mean, median and longest wait of some jobs, in seconds; null where there are none. */
export interface Wait {
  readonly mean: number | null
  readonly median: number | null
  readonly max: number | null
}

/** Waits of the jobs of one class of sizes, such as `5-16`. */
export interface WaitOfClass extends Wait {
  /** Sizes in nodes: `1`, `2-4`, …, `257+`. */
  readonly sizes: string
  readonly jobs: number
}

export function hasStarted(job: JobTimes): boolean {
  return job.start >= 0
}

export function hasEnded(job: JobTimes): boolean {
  return job.state === 'finished' || job.state === 'killed'
}

export function countInState(jobs: ReadonlyArray<JobTimes>, state: JobTimes['state']): number {
  let count = 0
  for (const job of jobs) if (job.state === state) count++
  return count
}

export function waitsOf(jobs: ReadonlyArray<JobTimes>): Wait {
  const waited = Float64Array.from(jobs, (job) => job.waited).sort()
  const middle = median(waited)
  return {
    mean: mean(waited, 1000),
    median: middle === null ? null : middle / 1000,
    max: waited.length === 0 ? null : waited[waited.length - 1] / 1000,
  }
}

export function waitsBySize(jobs: ReadonlyArray<JobTimes>): ReadonlyArray<WaitOfClass> {
  return [...CLASS_BOUNDS, Infinity].map((upTo, i) => {
    const from = i === 0 ? 1 : CLASS_BOUNDS[i - 1] + 1
    const members = jobs.filter((job) => job.size >= from && job.size <= upTo)
    const sizes = from === upTo ? `${from}` : upTo === Infinity ? `${from}+` : `${from}-${upTo}`
    return { sizes, jobs: members.length, ...waitsOf(members) }
  })
}

export function meanTurnaround(jobs: ReadonlyArray<JobTimes>): number | null {
  return mean(jobs.map(turnaround), 1000)
}

export function meanSlowdown(jobs: ReadonlyArray<JobTimes>): number | null {
  return mean(jobs.filter((job) => job.end > job.start).map((job) => turnaround(job) / (job.end - job.start)))
}

/** Feitelson's max(1, turnaround / max(run time, 10 s)). */
export function meanBoundedSlowdown(jobs: ReadonlyArray<JobTimes>): number | null {
  return mean(jobs.map((job) => Math.max(1, turnaround(job) / Math.max(job.end - job.start, SLOWDOWN_BOUND))))
}

/** The job makes progress at another rate from `t` on. */
export function changeRate(job: JobTimes, t: number, rate: number): void {
  job.progress += (job.rate * (t - job.rateSince)) / 1000
  job.rateSince = t
  job.rate = rate
}

/** Run time over the progress made in it: how much longer each job ran than it would have by itself. Jobs that made none are left out. */
export function contentionSlowdowns(jobs: ReadonlyArray<JobTimes>): ReadonlyArray<number> {
  return jobs.flatMap((job) => {
    const progress = job.progress + (job.rate * (job.end - job.rateSince)) / 1000
    return progress > 0 ? [(job.end - job.start) / progress] : []
  })
}

function turnaround(job: JobTimes): number {
  return job.end - job.submit
}

export function mean(values: ArrayLike<number>, scale = 1): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length / scale
}
