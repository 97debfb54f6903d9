import type { Placement, Request, StateView } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import type { Durations } from './durations.ts'
import type { Instant } from './instant.ts'
import { estimateOf } from './queue-order.ts'
import type { Simulation } from './simulation.ts'

/** Makes the policy's requests, with estimates and never with run times. */
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

  /** Returns the request for a planned start at `startsAt`, integer milliseconds. */
  later(job: number, startsAt: number): Request {
    return { ...this.of(job, 'reserve'), decidedAt: this.#instant.now, startsAt }
  }

  estimate(job: number): number {
    return estimateOf(this.#jobs[job], this.#estimates)
  }

  /** Returns the estimate on a placement that was found for a start now, integer milliseconds. */
  estimateOn(job: number, state: StateView, placement: Placement): number {
    return this.#durations.estimateOn?.(job, state, this.of(job, 'start'), placement) ?? this.estimate(job)
  }

  get estimatesVary(): boolean {
    return this.#durations.estimateOn !== undefined
  }

  /** Returns the run time and the estimate of a job that starts. Call this method once for each start. */
  durationOfStart(job: number, state: StateView, placement: Placement): { runTime: number; estimate: number } {
    const own = this.estimate(job)
    const { runTime, estimate = own } = this.#durations.ofStart(job, state, this.of(job, 'start'), placement)
    return { runTime, estimate }
  }
}
