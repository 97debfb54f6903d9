import type { Placement } from '@cloister/placement'
import type { Job } from '@cloister/workload'

/** New rate of a running job: an integer from 1 to 1000, in 1/1000 of the rate at which the job runs alone. */
export interface RateChange {
  /** Number of the job in the workload. */
  readonly job: number
  readonly rate: number
}

/**
 * Model of the slowdown of running jobs by each other. The returned rates SHALL depend only on the running jobs and
 * their start order. The rate of a job is 1000 until a `RateChange`.
 */
export interface Contention {
  /** Adds a job that starts. @returns the changed rates, in start order of their jobs */
  start(job: number, of: Pick<Job, 'id' | 'communication'>, placement: Placement): ReadonlyArray<RateChange>
  /** Removes a job that ends. @returns the changed rates, in start order of their jobs */
  end(job: number): ReadonlyArray<RateChange>
}

/** Remaining work of each running job (by number), in exact integers. A job alone does 1000 units a millisecond. */
export class RemainingWork {
  readonly #left: Float64Array
  readonly #rate: Int32Array
  readonly #since: Float64Array

  constructor(jobs: number) {
    this.#left = new Float64Array(jobs)
    this.#rate = new Int32Array(jobs)
    this.#since = new Float64Array(jobs)
  }

  start(job: number, now: number, runTime: number): void {
    this.#left[job] = runTime * 1000
    this.#rate[job] = 1000
    this.#since[job] = now
  }

  /** Returns the end of the job at the new rate, integer milliseconds. */
  changeRate(job: number, now: number, rate: number): number {
    this.#left[job] = Math.max(0, this.#left[job] - this.#rate[job] * (now - this.#since[job]))
    this.#rate[job] = rate
    this.#since[job] = now
    return now + Math.ceil(this.#left[job] / rate)
  }
}
