import type { JobTable } from './job-table.ts'
import { median } from './quantiles.ts'

/** Upper bounds of the classes of sizes for waits, in nodes; the last class has no upper bound. */
const CLASS_BOUNDS = [1, 4, 16, 64, 256]
/** Lower bound of the run time in the bounded slowdown, in ms. */
const SLOWDOWN_BOUND = 10_000

/** Mean, median and longest wait of some jobs, in seconds; each null if there are no jobs. */
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

export function waitsOf(table: JobTable, jobs: Int32Array): Wait {
  const waited = valuesOf(jobs, (job) => table.of.waited[job]).sort()
  const middle = median(waited)
  return {
    mean: mean(waited, 1000),
    median: middle === null ? null : middle / 1000,
    max: waited.length === 0 ? null : waited[waited.length - 1] / 1000,
  }
}

export function waitsBySize(table: JobTable, jobs: Int32Array): ReadonlyArray<WaitOfClass> {
  return [...CLASS_BOUNDS, Infinity].map((upTo, i) => {
    const from = i === 0 ? 1 : CLASS_BOUNDS[i - 1] + 1
    const members = jobs.filter((job) => table.of.size[job] >= from && table.of.size[job] <= upTo)
    const sizes = from === upTo ? `${from}` : upTo === Infinity ? `${from}+` : `${from}-${upTo}`
    return { sizes, jobs: members.length, ...waitsOf(table, members) }
  })
}

export function meanTurnaround(table: JobTable, jobs: Int32Array): number | null {
  return mean(
    valuesOf(jobs, (job) => turnaround(table, job)),
    1000,
  )
}

export function meanSlowdown(table: JobTable, jobs: Int32Array): number | null {
  const running = jobs.filter((job) => runTime(table, job) > 0)
  return mean(valuesOf(running, (job) => turnaround(table, job) / runTime(table, job)))
}

/** Returns the mean of Feitelson's bounded slowdown, max(1, turnaround / max(run time, 10 s)); null for no jobs. */
export function meanBoundedSlowdown(table: JobTable, jobs: Int32Array): number | null {
  return mean(
    valuesOf(jobs, (job) => Math.max(1, turnaround(table, job) / Math.max(runTime(table, job), SLOWDOWN_BOUND))),
  )
}

/** Returns the run time of each job divided by its progress, the run time at full rate. Jobs with progress 0 are left out. */
export function contentionSlowdowns(table: JobTable, jobs: Int32Array): ReadonlyArray<number> {
  return Array.from(jobs).flatMap((job) => {
    const progress = table.progressOf(job)
    return progress > 0 ? [runTime(table, job) / progress] : []
  })
}

function turnaround({ of: { end, submit } }: JobTable, job: number): number {
  return end[job] - submit[job]
}

function runTime({ of: { end, start } }: JobTable, job: number): number {
  return end[job] - start[job]
}

/** Returns the value of the function `of` for each job. `Float64Array.from` would take ten times as long. */
function valuesOf(jobs: Int32Array, of: (job: number) => number): Float64Array {
  const values = new Float64Array(jobs.length)
  for (let i = 0; i < jobs.length; i++) values[i] = of(jobs[i])
  return values
}

export function mean(values: ArrayLike<number>, scale = 1): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length / scale
}
