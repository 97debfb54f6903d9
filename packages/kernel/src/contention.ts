import type { Placement } from '@cloister/placement'
import type { Job } from '@cloister/workload'

/** Rate of a running job: an integer from 1 to 1000, in 1/1000 of the rate at which the job runs alone. */
export interface RateChange {
  /** Number of the job in the workload. */
  readonly job: number
  readonly rate: number
}

/**
 * Model of the slowdown of running jobs by each other. The returned rates SHALL depend only on the running jobs and
 * their start order. The rate of a job is 1000 until a `RateChange` changes the rate.
 */
export interface Contention {
  /** Starts a job on a placement. @returns the changed rates, in start order of their jobs */
  start(job: number, of: Pick<Job, 'id' | 'communication'>, placement: Placement): ReadonlyArray<RateChange>
  /** Ends a job. @returns the changed rates, in start order of their jobs */
  end(job: number): ReadonlyArray<RateChange>
}

/**
 * Remaining work of each running job, by number in the workload, as exact integers in 1/1000 of a millisecond at full
 * rate.
 */
export class RemainingWork {
  readonly #left: Float64Array
  readonly #rate: Int32Array
  readonly #since: Float64Array

  constructor(jobs: number) {
    this.#left = new Float64Array(jobs)
    this.#rate = new Int32Array(jobs)
    this.#since = new Float64Array(jobs)
  }

  /** @param runTime run time of the job alone, integer milliseconds */
  start(job: number, now: number, runTime: number): void {
    this.#left[job] = runTime * 1000
    this.#rate[job] = 1000
    this.#since[job] = now
  }

  /** @returns the end of the job at the new rate, integer milliseconds */
  changeRate(job: number, now: number, rate: number): number {
    this.#left[job] = Math.max(0, this.#left[job] - this.#rate[job] * (now - this.#since[job]))
    this.#rate[job] = rate
    this.#since[job] = now
    return now + Math.ceil(this.#left[job] / rate)
  }
}
