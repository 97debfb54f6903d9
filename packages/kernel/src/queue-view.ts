import { type LogState, milliseconds } from '@cloister/eventlog'
import type { QueueView, RunColumns } from '@cloister/ordering'
import type { Jobs } from '@cloister/workload'
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
  readonly #jobs: Jobs
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
    jobs: Jobs,
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

  /** Returns the view at the present instant. @param which the waiting jobs of the view, in submit order */
  view(which: ArrayLike<number>): QueueView {
    const { length } = which
    const size = new Int32Array(length)
    const estimate = new Float64Array(length)
    const submitted = new Float64Array(length)
    const user = new Int32Array(length)
    // A plain loop: under a changing order every scheduling pass makes a view of all waiting jobs.
    for (let row = 0; row < length; row++) {
      const job = this.#jobs.at(which[row])!
      size[row] = Math.min(job.size, MOST_NODES)
      estimate[row] = estimateOf(job, this.#estimates)
      submitted[row] = job.submit
      user[row] = this.#numberOf(job.user)
    }
    // Most orders read neither ids nor running jobs.
    const ids = onlyOnce(() => Array.from(which, (job) => this.#jobs.at(job)!.id))
    const running = onlyOnce(() => this.#runningNow())
    return {
      now: this.#instant.now,
      waiting: {
        length,
        size,
        estimate,
        submitted,
        user,
        ...(this.#jobs.at(which[0])?.turn !== undefined && {
          turn: Array.from(which, (job) => this.#jobs.at(job)!.turn!),
        }),
        get id() {
          return ids()
        },
      },
      get running() {
        return running()
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
    return this.#numberOf(this.#jobs.at(job)!.user)
  }

  #numberOf(user: string | undefined): number {
    if (user === undefined) return -1
    const known = this.#userNumbers.get(user)
    if (known !== undefined) return known
    this.#userNumbers.set(user, this.#users.length)
    return this.#users.push(user) - 1
  }
}

/** Returns a function that calls `make` at its first call, and returns the same value at each call. */
function onlyOnce<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
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
export function viewOfJobs(jobs: Jobs, estimates: SchedulingRules['estimates'], which: ArrayLike<number>): QueueView {
  const nothingRuns = { get: () => undefined }
  return new QueueHistory(jobs, estimates, nothingRuns, { now: 0, cause: 0, pass: 0 }, false).view(which)
}
