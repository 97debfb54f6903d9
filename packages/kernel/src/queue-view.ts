import { type LogState, milliseconds } from '@cloister/eventlog'
import type { QueueView, RunColumns } from '@cloister/ordering'
import type { Job } from '@cloister/workload'
import { estimateOf, type SchedulingRules } from './scheduling-rules.ts'
import type { Instant } from './setup.ts'

/** Sizes above the nodes of every machine: such a job never starts. */
const MOST_NODES = 2 ** 31 - 1

/** Nodes and expected end, in ms, of each running job. */
interface RunningNow {
  get(job: number): { readonly nodes: ArrayLike<number>; readonly estimatedEnd: number } | undefined
}

/** Jobs, runs and users as an order of the queue sees them. */
export class QueueHistory {
  readonly #jobs: ReadonlyArray<Job>
  readonly #estimates: SchedulingRules['estimates']
  readonly #running: RunningNow
  readonly #instant: Instant
  readonly #keepsEnded: boolean
  readonly #users: Array<string> = []
  readonly #userNumbers = new Map<string, number>()
  /** Starts of the running jobs in ms, in the order of the starts. */
  readonly #started = new Map<number, number>()
  readonly #ended: Rows = new Rows()

  /** @param keepsEnded true if the order reads runs that have ended */
  constructor(
    jobs: ReadonlyArray<Job>,
    estimates: SchedulingRules['estimates'],
    running: RunningNow,
    instant: Instant,
    keepsEnded: boolean,
  ) {
    this.#jobs = jobs
    this.#estimates = estimates
    this.#running = running
    this.#instant = instant
    this.#keepsEnded = keepsEnded
  }

  /** Returns the view at the present instant. @param waiting the waiting jobs of the view, in submit order */
  view(waiting: ArrayLike<number>): QueueView {
    const user = Int32Array.from(waiting, (job) => this.#userOf(job))
    let running: RunColumns | undefined
    const runningNow = (): RunColumns => (running ??= this.#runningNow())
    return {
      now: this.#instant.now,
      waiting: {
        length: waiting.length,
        id: Array.from(waiting, (job) => this.#jobs[job].id),
        size: Int32Array.from(waiting, (job) => Math.min(this.#jobs[job].size, MOST_NODES)),
        estimate: Float64Array.from(waiting, (job) => estimateOf(this.#jobs[job], this.#estimates)),
        submitted: Float64Array.from(waiting, (job) => this.#jobs[job].submit),
        user,
      },
      // Most orders do not read the running jobs.
      get running() {
        return runningNow()
      },
      ended: this.#ended.columns(),
      users: this.#users,
    }
  }

  /** Reports the start of a job. @param at integer milliseconds */
  onStart(job: number, at: number): void {
    this.#started.set(job, at)
  }

  /** Reports the end of a run, while the job still counts as running. */
  onEnd(job: number): void {
    if (this.#keepsEnded) this.#addRow(this.#ended, job, this.#instant.now)
    this.#started.delete(job)
  }

  /** Adds the runs that had ended in a state of the same log. */
  restore(ended: LogState['endedRuns']): void {
    for (const { submit, nodes, allocate, end } of ended)
      this.#ended.add(nodes.length, this.#numberOf(submit.user), milliseconds(allocate.t), milliseconds(end))
  }

  #runningNow(): RunColumns {
    const rows = new Rows()
    for (const job of this.#started.keys()) this.#addRow(rows, job, this.#running.get(job)!.estimatedEnd)
    return rows.columns()
  }

  #addRow(rows: Rows, job: number, end: number): void {
    rows.add(this.#running.get(job)!.nodes.length, this.#userOf(job), this.#started.get(job)!, end)
  }

  #userOf(job: number): number {
    return this.#numberOf(this.#jobs[job].user)
  }

  #numberOf(user: string | undefined): number {
    if (user === undefined) return -1
    const known = this.#userNumbers.get(user)
    if (known !== undefined) return known
    this.#userNumbers.set(user, this.#users.length)
    return this.#users.push(user) - 1
  }
}

class Rows {
  readonly #nodes: Array<number> = []
  readonly #user: Array<number> = []
  readonly #started: Array<number> = []
  readonly #end: Array<number> = []

  add(nodes: number, user: number, started: number, end: number): void {
    this.#nodes.push(nodes)
    this.#user.push(user)
    this.#started.push(started)
    this.#end.push(end)
  }

  columns(): RunColumns {
    const { length } = this.#nodes
    return { length, nodes: this.#nodes, user: this.#user, started: this.#started, end: this.#end }
  }
}

/**
 * Returns the view in which a fixed order sees jobs: at time 0, without runs.
 *
 * @param which numbers of the jobs, in submit order
 */
export function viewOfJobs(
  jobs: ReadonlyArray<Job>,
  estimates: SchedulingRules['estimates'],
  which: ArrayLike<number>,
): QueueView {
  const nothingRuns = { get: () => undefined }
  return new QueueHistory(jobs, estimates, nothingRuns, { now: 0, cause: 0, pass: 0 }, false).view(which)
}
