import type { Submit } from '@cloister/eventlog'
import type { JobState, JobTable } from './job-table.ts'
import { meanBoundedSlowdown, meanTurnaround, type Wait, waitsOf } from './job-times.ts'

/** The label of their submits by which jobs are put into groups. */
export type Grouping = 'account' | 'user' | 'queue'

/** Figures of the jobs of one group: as the metrics of the same names, of these jobs alone. */
export interface GroupMetrics {
  /** The label that its jobs have; null for those that have none. */
  readonly group: string | null
  readonly jobs: {
    readonly submitted: number
    readonly started: number
    readonly finished: number
    readonly killed: number
    readonly cancelled: number
  }
  /** Of the nodes that the jobs asked for, over all their runs until the last record. */
  readonly nodeHours: number
  /** Of the node-hours of all jobs of the run; null where nothing ran. */
  readonly share: number | null
  /** Of jobs that started, in seconds. */
  readonly wait: Wait
  /** Means of jobs that finished or were killed for good: seconds, and a ratio. */
  readonly turnaround: number | null
  readonly slowdown: number | null
}

const HOUR = 3_600_000

/** Which group each job of a run is in. */
export class JobGroups {
  readonly #by: Grouping | undefined
  /** Of each job, in submit order. */
  readonly #groups: Array<string | null> = []
  readonly #known = new Map<string, string>()

  /** @param by undefined: all jobs are one group */
  constructor(by: Grouping | undefined) {
    this.#by = by
  }

  add(submit: Submit): void {
    const label = this.#by === undefined ? undefined : submit[this.#by]
    if (label !== undefined && !this.#known.has(label)) this.#known.set(label, label)
    // One text for a group, however many records have it.
    this.#groups.push(label === undefined ? null : this.#known.get(label)!)
  }

  /**
   * Those that used most first; ties by name.
   *
   * @param now of the last record, ms
   * @param chosen numbers of the jobs that count; all where it is left out
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

/** Node-milliseconds of all its runs. */
function nodeTimeOf(jobs: JobTable, job: number, now: number): number {
  return jobs.of.size[job] * (jobs.of.ran[job] + (jobs.stateOf(job) === 'running' ? jobs.ranUntil(job, now) : 0))
}

/** Jobs without a label last. */
function compareNames(a: string | null, b: string | null): number {
  return a === null ? 1 : b === null ? -1 : a < b ? -1 : 1
}
