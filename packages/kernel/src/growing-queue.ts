import type { JobQueue } from './waiting-jobs.ts'

/** Waiting jobs in queue order, if later jobs are not known in advance. Later jobs have greater numbers. */
export class GrowingQueue implements JobQueue {
  readonly #keyOf: (job: number) => number
  /** Waiting jobs in queue order. */
  readonly #waiting: Array<number> = []

  /** @param keyOf returns the sort key of a job, which never changes; the smallest comes first, ties by number */
  constructor(keyOf: (job: number) => number) {
    this.#keyOf = keyOf
  }

  get head(): number | undefined {
    return this.#waiting[0]
  }

  after(job: number): number | undefined {
    const at = this.#placeOf(job)
    return this.#waiting[this.#waiting[at] === job ? at + 1 : at]
  }

  first(most: number, jobs: Array<number>): void {
    jobs.length = Math.min(most, this.#waiting.length)
    for (let at = 0; at < jobs.length; at++) jobs[at] = this.#waiting[at]
  }

  isBefore(job: number, other: number): boolean {
    const difference = this.#keyOf(job) - this.#keyOf(other)
    return difference < 0 || (difference === 0 && job < other)
  }

  has(job: number): boolean {
    return this.#waiting[this.#placeOf(job)] === job
  }

  add(job: number): void {
    const at = this.#placeOf(job)
    if (this.#waiting[at] !== job) this.#waiting.splice(at, 0, job)
  }

  remove(job: number): void {
    const at = this.#placeOf(job)
    if (this.#waiting[at] === job) this.#waiting.splice(at, 1)
  }

  #placeOf(job: number): number {
    let low = 0
    let high = this.#waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.isBefore(this.#waiting[middle], job)) low = middle + 1
      else high = middle
    }
    return low
  }
}
