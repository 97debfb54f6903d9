import { type Allocate, type Header, type LogState, milliseconds, resourcesOf } from '@cloister/eventlog'
import type { OrderedMachine, QueueOrder } from '@cloister/ordering'
import type { Jobs } from '@cloister/workload'
import { loggedOrder } from './logged-order.ts'
import { queueOf } from './queue-of.ts'
import { QueueHistory } from './queue-view.ts'
import { OVERRUN_GRACE_MS } from './running-jobs.ts'
import type { Instant } from './setup.ts'
import type { JobQueue } from './waiting-jobs.ts'

interface RunningJob {
  readonly nodes: ArrayLike<number>
  estimatedEnd: number
}

/** Waiting jobs of a log in the queue order of the log. The caller adds and removes the jobs. Jobs are numbers. */
export class OrderedQueue {
  readonly waiting: JobQueue
  /** True if the order of two jobs never changes. */
  readonly isFixed: boolean
  readonly #jobs: Jobs
  readonly #instant: Instant = { now: 0, cause: 0, pass: 0 }
  readonly #running = new Map<number, RunningJob>()
  readonly #history: QueueHistory

  /**
   * @param jobs jobs in submit order; `walltime` is the estimate
   * @param given order for a log whose order is not built in
   * @throws UnknownOrderError if the order of the log is neither built in nor given
   */
  constructor(header: Header, machine: OrderedMachine, jobs: Jobs, given?: QueueOrder<any>) {
    const order = loggedOrder(header, machine, given)
    const claims = order?.ordering.claims ?? { fixed: true }
    this.#jobs = jobs
    this.isFixed = claims.fixed
    const running = { get: (job: number) => this.#runningAt(job) }
    this.#history = new QueueHistory(jobs, 'requested', running, this.#instant, claims.history === true)
    this.waiting = queueOf(jobs, order, 'requested', this.#instant, false, claims.fixed ? undefined : this.#history)
  }

  /** Begins a scheduling pass. @param t seconds */
  begin(t: number): void {
    this.#instant.now = milliseconds(t)
    this.waiting.begin?.()
  }

  start(job: number, { t, nodes, estimate }: Pick<Allocate, 't' | 'nodes' | 'estimate'>): void {
    if (this.isFixed) return
    const lasts = estimate === undefined ? (this.#jobs.at(job)!.walltime ?? Infinity) : milliseconds(estimate)
    this.#running.set(job, { nodes: resourcesOf({ nodes }).nodes, estimatedEnd: milliseconds(t) + lasts })
    this.#history.onStart(job, milliseconds(t))
  }

  end(job: number): void {
    if (this.isFixed) return
    this.#history.onEnd(job)
    this.#running.delete(job)
  }

  /** Takes over the running jobs and the ended runs of a state. @param numberOf returns the number of a job */
  restore(state: LogState, numberOf: (job: string) => number): void {
    for (const [job, { allocate }] of state.running) this.start(numberOf(job), allocate)
    this.#history.restore(state.endedRuns)
    this.begin(state.t)
  }

  /** A job past its expected end is expected to end after the present pass, as the scheduler assumes. */
  #runningAt(job: number): RunningJob | undefined {
    const running = this.#running.get(job)
    if (running !== undefined && running.estimatedEnd <= this.#instant.now)
      running.estimatedEnd = this.#instant.now + OVERRUN_GRACE_MS
    return running
  }
}
