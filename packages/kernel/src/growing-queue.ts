import type { JobQueue } from './waiting-jobs.ts'

/** Jobs that wait, in the order of the queue, where further jobs come while others wait: the next number is that of the next job. */
export class GrowingQueue implements JobQueue {
  readonly #keyOf: (job: number) => number
  /** In the order of the queue. */
  readonly #waiting: Array<number> = []

  /** @param keyOf what a job is ordered by, smallest first; ties by number. It never changes */
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

  /** Where the job stands, or would. */
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
