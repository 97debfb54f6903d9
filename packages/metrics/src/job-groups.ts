import type { Submit } from '@cloister/eventlog'
import type { JobState, JobTable } from './job-table.ts'
import { meanBoundedSlowdown, meanTurnaround, type Wait, waitsOf } from './job-times.ts'

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

const HOUR = 3_600_000

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
    nodeHours: nodeTime / HOUR,
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
