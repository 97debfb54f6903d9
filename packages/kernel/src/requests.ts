import type { Placement, Request, StateView } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import type { Durations } from './durations.ts'
import type { Instant } from './instant.ts'
import { estimateOf } from './queue-order.ts'
import type { Simulation } from './simulation.ts'

/** Jobs in the form in which a policy sees them: with their estimates, never their run times. Jobs are numbers in the workload. */
export class Requests<Index> {
  readonly #jobs: ReadonlyArray<Job>
  readonly #estimates: Simulation['estimates']
  readonly #durations: Durations
  readonly #instant: Instant

  constructor({ workload: { jobs }, estimates }: Simulation<Index>, durations: Durations, instant: Instant) {
    this.#jobs = jobs
    this.#estimates = estimates
    this.#durations = durations
    this.#instant = instant
  }

  of(job: number, purpose: Request['purpose']): Request {
    const { id, size, submit: submitted, bandwidth, communication } = this.#jobs[job]
    const estimate = this.estimate(job)
    return { purpose, job: id, nodes: size, now: this.#instant.now, submitted, estimate, bandwidth, communication }
  }

  /** A what-if: the job is to start at that instant, integer milliseconds. */
  later(job: number, startsAt: number): Request {
    return { ...this.of(job, 'reserve'), decidedAt: this.#instant.now, startsAt }
  }

  /** Of the job by itself, integer milliseconds. */
  estimate(job: number): number {
    return estimateOf(this.#jobs[job], this.#estimates)
  }

  /** Of the job on a placement that it could be given now, integer milliseconds. */
  estimateOn(job: number, state: StateView, placement: Placement): number {
    return this.#durations.estimateOn?.(job, state, this.of(job, 'start'), placement) ?? this.estimate(job)
  }

  /** Whether the estimate may be another on each placement. */
  get estimatesVary(): boolean {
    return this.#durations.estimateOn !== undefined
  }

  /** What a job that starts takes and is expected to take. Asked once for each start. */
  durationOfStart(job: number, state: StateView, placement: Placement): { runTime: number; estimate: number } {
    const own = this.estimate(job)
    const { runTime, estimate = own } = this.#durations.ofStart(job, state, this.of(job, 'start'), placement)
    return { runTime, estimate }
  }
}
