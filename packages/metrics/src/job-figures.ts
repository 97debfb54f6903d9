import type { Submit } from '@cloister/eventlog'
import type { JobState, JobTable } from './job-table.ts'

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

/** Returns the median of ascending numbers (the mean of the middle two for an even count); null for no numbers. */
function median(ascending: ArrayLike<number>): number | null {
  const n = ascending.length
  if (n === 0) return null
  return (ascending[(n - 1) >> 1] + ascending[n >> 1]) / 2
}

/** Number of some jobs, and their shares of all submitted jobs; in a window, of the jobs that waited or ran in it. */
export interface JobsOfAll {
  readonly jobs: number
  /** Share of the number of jobs; null if there are no jobs. */
  readonly share: number | null
  /** Share of the jobs' node-time (nodes times estimate); null if a job has no estimate, or if the node-time is 0. */
  readonly nodeTime: number | null
}

/** Jobs without a placement. No figure of waits, turnaround or utilization counts these jobs. */
export interface NotPlaced {
  /** Jobs that the policy rejected for good. */
  readonly rejected: JobsOfAll
  /** Jobs that wait at the end of the log; in a simulation these jobs wait for ever. */
  readonly waiting: JobsOfAll
}

/** Counts the jobs without a placement at the end of a log, or at the end of the log's window. */
export function notPlacedOf(jobs: JobTable): NotPlaced {
  return { rejected: inState(jobs, 'rejected'), waiting: inState(jobs, 'waiting') }
}

function inState(table: JobTable, state: JobState): JobsOfAll {
  const { size, estimate } = table.of
  let [jobs, all, nodeTime, allNodeTime] = [0, 0, 0, 0]
  for (let job = 0; job < table.length; job++) {
    if (!table.wasThere(job)) continue
    all++
    // If one estimate is unknown, the sum is unknown.
    const own = estimate[job] < 0 ? NaN : size[job] * estimate[job]
    allNodeTime += own
    if (table.stateOf(job) !== state) continue
    jobs++
    nodeTime += own
  }
  return { jobs, share: all === 0 ? null : jobs / all, nodeTime: allNodeTime > 0 ? nodeTime / allNodeTime : null }
}

/** Label of submit records that groups jobs. */
export type Grouping = 'account' | 'user' | 'queue'

/** Figures of one group of jobs, with the definitions of the metrics of the same names. */
export interface GroupMetrics {
  /** Label of the jobs; null for the group of jobs without a label. */
  readonly group: string | null
  readonly jobs: {
    readonly submitted: number
    readonly started: number
    readonly finished: number
    readonly killed: number
    readonly cancelled: number
  }
  /** Node-hours of the requested nodes over all runs of the jobs, in the window or, without a window, in the log. */
  readonly nodeHours: number
  /** Share of the group's node-hours in the node-hours of all jobs, from 0 to 1; null if no job ran. */
  readonly share: number | null
  /** Waits of the jobs that started, in seconds. */
  readonly wait: Wait
  /** Mean turnaround of the jobs that finished or were killed for good, in seconds; null for no jobs. */
  readonly turnaround: number | null
  /** Mean bounded slowdown of the jobs that finished or were killed for good; null for no jobs. */
  readonly slowdown: number | null
}

/** Divides the jobs of a run into groups, and computes the figures of each group. */
export class JobGroups {
  readonly #by: Grouping | undefined
  /** Group of each job, in submit order. */
  readonly #groups: Array<string | null> = []
  readonly #known = new Map<string, string>()

  /** @param by label of the groups; undefined for a single group of all jobs */
  constructor(by: Grouping | undefined) {
    this.#by = by
  }

  add(submit: Submit): void {
    const label = this.#by === undefined ? undefined : submit[this.#by]
    if (label !== undefined && !this.#known.has(label)) this.#known.set(label, label)
    // All jobs of a group share one string, to save memory.
    this.#groups.push(label === undefined ? null : this.#known.get(label)!)
  }

  /**
   * Returns the figures of all groups, most node-hours first; groups with equal node-hours in the order of names.
   *
   * @param now time of the last record, in ms
   * @param chosen numbers, in submit order from 0, of the jobs to count; all jobs if absent
   */
  metrics(jobs: JobTable, now: number, chosen: Iterable<number> = this.#groups.keys()): ReadonlyArray<GroupMetrics> {
    const there = Array.from(chosen).filter((job) => jobs.wasThere(job))
    const members = Map.groupBy(there, (job) => this.#groups[job])
    const nodeTimes = new Map(
      Array.from(members, ([group, own]) => [group, own.reduce((sum, job) => sum + nodeTimeOf(jobs, job, now), 0)]),
    )
    let all = 0
    for (let job = 0; job < jobs.length; job++) all += nodeTimeOf(jobs, job, now)
    return [...members.keys()]
      .sort((a, b) => nodeTimes.get(b)! - nodeTimes.get(a)! || compareNames(a, b))
      .map((group) => metricsOf(group, jobs, members.get(group)!, nodeTimes.get(group)!, all))
  }
}

function metricsOf(
  group: string | null,
  jobs: JobTable,
  members: ReadonlyArray<number>,
  nodeTime: number,
  all: number,
): GroupMetrics {
  const started = Int32Array.from(members.filter((job) => jobs.hasStarted(job)))
  const ended = Int32Array.from(members.filter((job) => jobs.hasEnded(job)))
  const countInState = (state: JobState): number => members.filter((job) => jobs.stateOf(job) === state).length
  return {
    group,
    jobs: {
      submitted: members.filter((job) => jobs.wasSubmitted(job)).length,
      started: started.length,
      finished: countInState('finished'),
      killed: countInState('killed'),
      cancelled: countInState('cancelled'),
    },
    nodeHours: nodeTime / 3_600_000,
    share: all === 0 ? null : nodeTime / all,
    wait: waitsOf(jobs, started),
    turnaround: meanTurnaround(jobs, ended),
    slowdown: meanBoundedSlowdown(jobs, ended),
  }
}

/** Returns the node-milliseconds of a job's requested nodes over all runs, in the window if there is one, until now. */
function nodeTimeOf(jobs: JobTable, job: number, now: number): number {
  return jobs.of.size[job] * (jobs.of.ran[job] + (jobs.stateOf(job) === 'running' ? jobs.ranUntil(job, now) : 0))
}

/** Compares names of groups. The group without a label comes last. */
function compareNames(a: string | null, b: string | null): number {
  return a === null ? 1 : b === null ? -1 : a < b ? -1 : 1
}
