import { median } from './quantiles.ts'
import type { Metrics, Wait } from './metrics.ts'

/** Upper bounds of the classes by which waits are broken down; the last class is open. */
const classBounds = [1, 4, 16, 64, 256]
const largeJob = 100
/** Run times below this many ms do not blow up the bounded slowdown. */
const slowdownBound = 10_000

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
  /** Held by the current run. */
  nodes: Int32Array
}

export function countJobs(jobs: ReadonlyArray<JobTimes>): Metrics['jobs'] {
  const inState = (state: JobTimes['state']): number => jobs.filter((job) => job.state === state).length
  return {
    submitted: jobs.length,
    started: jobs.filter(hasStarted).length,
    finished: inState('finished'),
    rejected: inState('rejected'),
    killed: inState('killed'),
    cancelled: inState('cancelled'),
  }
}

export function waits(jobs: ReadonlyArray<JobTimes>): Metrics['wait'] {
  const started = jobs.filter(hasStarted)
  const classes = [...classBounds, Infinity].map((upTo, i) => {
    const from = i === 0 ? 1 : classBounds[i - 1] + 1
    const members = started.filter((job) => job.size >= from && job.size <= upTo)
    const sizes = from === upTo ? `${from}` : upTo === Infinity ? `${from}+` : `${from}-${upTo}`
    return { sizes, jobs: members.length, ...summary(members) }
  })
  return { ...summary(started), bySize: classes }
}

export function turnarounds(jobs: ReadonlyArray<JobTimes>): Metrics['turnaround'] {
  const done = jobs.filter(hasEnded)
  const meanOf = (some: ReadonlyArray<JobTimes>): number | null =>
    mean(
      some.map((job) => job.end - job.submit),
      1000,
    )
  return { mean: meanOf(done), large: meanOf(done.filter((job) => job.size > largeJob)) }
}

export function slowdowns(jobs: ReadonlyArray<JobTimes>): Metrics['slowdown'] {
  const done = jobs.filter(hasEnded)
  const slowdown = (job: JobTimes): number => (job.end - job.submit) / (job.end - job.start)
  const bounded = (job: JobTimes): number =>
    Math.max(1, (job.end - job.submit) / Math.max(job.end - job.start, slowdownBound))
  return { mean: mean(done.filter((job) => job.end > job.start).map(slowdown)), bounded: mean(done.map(bounded)) }
}

function hasStarted(job: JobTimes): boolean {
  return job.start >= 0
}
function hasEnded(job: JobTimes): boolean {
  return job.state === 'finished' || job.state === 'killed'
}

function summary(jobs: ReadonlyArray<JobTimes>): Wait {
  const waited = Float64Array.from(jobs, (job) => job.waited).sort()
  const middle = median(waited)
  return {
    mean: mean(waited, 1000),
    median: middle === null ? null : middle / 1000,
    max: waited.length === 0 ? null : waited[waited.length - 1] / 1000,
  }
}

function mean(values: ArrayLike<number>, scale = 1): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length / scale
}
