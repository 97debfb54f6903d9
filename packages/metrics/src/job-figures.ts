import { type JobState, jobStates, type RunTable } from '@cloister/eventlog'
import type { JobPlacements, PlacementFigures } from './placements.ts'

const [, RUNNING, FINISHED, FAILED, KILLED] = jobStates.keys()

/** Returns true if the job was submitted in the table's window. */
export function wasSubmitted(table: RunTable, job: number): boolean {
  return table.of.submit[job] >= table.from
}

/** Returns true if the job's last start was in the table's window. */
export function hasStarted(table: RunTable, job: number): boolean {
  return table.of.start[job] >= table.from
}

/** Returns true if the job finished or was killed for good in the table's window. */
export function hasEnded(table: RunTable, job: number): boolean {
  const state = table.of.state[job]
  return (state === FINISHED || state === FAILED || state === KILLED) && table.of.left[job] >= table.from
}

/** Returns the number of jobs that reached one of some final states in the table's window. */
export function countInState(table: RunTable, ...states: ReadonlyArray<JobState>): number {
  return table.rows((job) => states.includes(table.stateOf(job)) && table.of.left[job] >= table.from).length
}

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

export function waitsOf(table: RunTable, jobs: Int32Array): Wait {
  const waited = valuesOf(jobs, (job) => table.of.waited[job]).sort()
  const middle = median(waited)
  return {
    mean: mean(waited, 1000),
    median: middle === null ? null : middle / 1000,
    max: waited.length === 0 ? null : waited[waited.length - 1] / 1000,
  }
}

export function waitsBySize(table: RunTable, jobs: Int32Array): ReadonlyArray<WaitOfClass> {
  return [...CLASS_BOUNDS, Infinity].map((upTo, i) => {
    const from = i === 0 ? 1 : CLASS_BOUNDS[i - 1] + 1
    const members = jobs.filter((job) => table.of.size[job] >= from && table.of.size[job] <= upTo)
    const sizes = from === upTo ? `${from}` : upTo === Infinity ? `${from}+` : `${from}-${upTo}`
    return { sizes, jobs: members.length, ...waitsOf(table, members) }
  })
}

export function meanTurnaround(table: RunTable, jobs: Int32Array): number | null {
  return mean(
    valuesOf(jobs, (job) => turnaround(table, job)),
    1000,
  )
}

export function meanSlowdown(table: RunTable, jobs: Int32Array): number | null {
  const running = jobs.filter((job) => runTime(table, job) > 0)
  return mean(valuesOf(running, (job) => turnaround(table, job) / runTime(table, job)))
}

/** Returns the mean of Feitelson's bounded slowdown, max(1, turnaround / max(run time, 10 s)); null for no jobs. */
export function meanBoundedSlowdown(table: RunTable, jobs: Int32Array): number | null {
  return mean(
    valuesOf(jobs, (job) => Math.max(1, turnaround(table, job) / Math.max(runTime(table, job), SLOWDOWN_BOUND))),
  )
}

/** Returns the run time of each job divided by its progress, the run time at full rate. Jobs with progress 0 are left out. */
export function contentionSlowdowns(table: RunTable, jobs: Int32Array): ReadonlyArray<number> {
  return Array.from(jobs).flatMap((job) => {
    const progress = table.progressOf(job)
    return progress > 0 ? [runTime(table, job) / progress] : []
  })
}

function turnaround({ of: { end, submit } }: RunTable, job: number): number {
  return end[job] - submit[job]
}

function runTime({ of: { end, start } }: RunTable, job: number): number {
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
export function notPlacedOf(jobs: RunTable): NotPlaced {
  return { rejected: inStateOfAll(jobs, 'rejected'), waiting: inStateOfAll(jobs, 'waiting') }
}

function inStateOfAll(table: RunTable, state: JobState): JobsOfAll {
  const { size, estimate } = table.of
  let [jobs, all, nodeTime, allNodeTime] = [0, 0, 0, 0]
  for (let job = 0; job < table.length; job++) {
    if (!table.isOfWindow(job)) continue
    all++
    // If one estimate is unknown, the sum is unknown.
    const own = size[job] * estimate[job]
    allNodeTime += own
    if (table.stateOf(job) !== state) continue
    jobs++
    nodeTime += own
  }
  return { jobs, share: all === 0 ? null : jobs / all, nodeTime: allNodeTime > 0 ? nodeTime / allNodeTime : null }
}

/** Label of submit records that groups jobs. */
export type Grouping = 'account' | 'user' | 'queue' | 'qos'

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
  /** Placements of the jobs that started. */
  readonly placement: PlacementFigures
}

/**
 * Returns the figures of each group of jobs, most node-hours first; groups with equal node-hours in the order of names.
 *
 * @param by label of the groups; undefined for a single group of all jobs
 * @param now end of the figures, in ms
 * @param chosen numbers, in submit order from 0, of the jobs to count; all jobs if absent
 */
export function groupFigures(
  table: RunTable,
  placements: JobPlacements,
  by: Grouping | undefined,
  now: number,
  chosen?: Iterable<number>,
): ReadonlyArray<GroupMetrics> {
  const there = Array.from(chosen ?? table.rows()).filter((job) => table.isOfWindow(job))
  const members = Map.groupBy(there, (job) => (by === undefined ? null : table.textOf(by, job) || null))
  const nodeTimes = new Map(
    Array.from(members, ([group, own]) => [group, own.reduce((sum, job) => sum + nodeTimeOf(table, job, now), 0)]),
  )
  let all = 0
  for (let job = 0; job < table.length; job++) all += nodeTimeOf(table, job, now)
  return [...members.keys()]
    .sort((a, b) => nodeTimes.get(b)! - nodeTimes.get(a)! || compareNames(a, b))
    .map((group) => metricsOf(group, table, placements, members.get(group)!, nodeTimes.get(group)!, all))
}

function metricsOf(
  group: string | null,
  jobs: RunTable,
  placements: JobPlacements,
  members: ReadonlyArray<number>,
  nodeTime: number,
  all: number,
): GroupMetrics {
  const started = Int32Array.from(members.filter((job) => hasStarted(jobs, job)))
  const ended = Int32Array.from(members.filter((job) => hasEnded(jobs, job)))
  const inState = (...states: ReadonlyArray<JobState>): number =>
    members.filter((job) => states.includes(jobs.stateOf(job))).length
  return {
    group,
    jobs: {
      submitted: members.filter((job) => wasSubmitted(jobs, job)).length,
      started: started.length,
      finished: inState('finished', 'failed'),
      killed: inState('killed'),
      cancelled: inState('cancelled'),
    },
    nodeHours: nodeTime / 3_600_000,
    share: all === 0 ? null : nodeTime / all,
    wait: waitsOf(jobs, started),
    turnaround: meanTurnaround(jobs, ended),
    slowdown: meanBoundedSlowdown(jobs, ended),
    placement: placements.figures(started, jobs.of.size),
  }
}

/** Returns the node-milliseconds of a job's requested nodes over all runs, in the window if there is one, until now. */
function nodeTimeOf(jobs: RunTable, job: number, now: number): number {
  return jobs.of.size[job] * (jobs.of.ran[job] + (jobs.of.state[job] === RUNNING ? jobs.ranUntil(job, now) : 0))
}

/** Compares names of groups. The group without a label comes last. */
function compareNames(a: string | null, b: string | null): number {
  return a === null ? 1 : b === null ? -1 : a < b ? -1 : 1
}
