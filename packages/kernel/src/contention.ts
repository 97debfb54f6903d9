import type { Placement } from '@cloister/placement'
import type { Job } from '@cloister/workload'

/** The rate of a running job, an integer in 1/1000 of that at which it runs by itself, from 1 to 1000. */
export interface RateChange {
  /** Its number in the workload. */
  readonly job: number
  readonly rate: number
}

/**
 * How running jobs slow each other. It SHALL depend on what runs alone, in the order in which it started; a job's rate is
 * 1000 until it is said to be another.
 */
export interface Contention {
  /** A job starts on this. @returns whose rates are others from here on, in the order in which they started */
  start(job: number, of: Pick<Job, 'id' | 'communication'>, placement: Placement): ReadonlyArray<RateChange>
  /** A job has ended. @returns as `start` */
  end(job: number): ReadonlyArray<RateChange>
}

/** What running jobs have left to do, by number in the workload: exact, in 1/1000 of a millisecond at full rate. */
export class RemainingWork {
  readonly #left: Float64Array
  readonly #rate: Int32Array
  readonly #since: Float64Array

  constructor(jobs: number) {
    this.#left = new Float64Array(jobs)
    this.#rate = new Int32Array(jobs)
    this.#since = new Float64Array(jobs)
  }

  /** @param runTime by itself, integer milliseconds */
  start(job: number, now: number, runTime: number): void {
    this.#left[job] = runTime * 1000
    this.#rate[job] = 1000
    this.#since[job] = now
  }

  /** @returns when the job will end at this rate, integer milliseconds */
  changeRate(job: number, now: number, rate: number): number {
    this.#left[job] = Math.max(0, this.#left[job] - this.#rate[job] * (now - this.#since[job]))
    this.#rate[job] = rate
    this.#since[job] = now
    return now + Math.ceil(this.#left[job] / rate)
  }
}
