import { KeyedHeap } from '@cloister/topology'
import type { Jobs } from '@cloister/workload'
import type { Instant } from './setup.ts'
import type { JobQueue } from './waiting-jobs.ts'

/**
 * Waiting jobs under an order that claims `recorded`. A job that is not yet eligible waits outside of the queue: `has`
 * knows the job, and the order of the queue does not. `begin` lets the jobs join that have become eligible.
 */
export class HeldQueue implements JobQueue {
  readonly #queue: JobQueue
  readonly #jobs: Jobs
  readonly #instant: Instant
  readonly #held = new Set<number>()
  /** Held jobs by the time at which they become eligible; jobs that have left since included. */
  readonly #next = new KeyedHeap()
  readonly before?: (job: number) => number

  /** @param queue queue of the eligible jobs */
  constructor(queue: JobQueue, jobs: Jobs, instant: Instant) {
    this.#queue = queue
    this.#jobs = jobs
    this.#instant = instant
    if (queue.before !== undefined) this.before = (job) => queue.before!(job)
  }

  begin(): void {
    while (this.#next.firstKey <= this.#instant.now) {
      const job = this.#next.pop()
      if (this.#held.delete(job)) this.#queue.add(job)
    }
    this.#queue.begin?.()
  }

  get head(): number | undefined {
    return this.#queue.head
  }
  after(job: number): number | undefined {
    return this.#queue.after(job)
  }
  first(most: number, jobs: Array<number>): void {
    this.#queue.first(most, jobs)
  }
  isBefore(job: number, other: number): boolean {
    return this.#queue.isBefore(job, other)
  }

  has(job: number): boolean {
    return this.#held.has(job) || this.#queue.has(job)
  }

  isHeld(job: number): boolean {
    return this.#held.has(job)
  }

  add(job: number): void {
    const { eligible = 0 } = this.#jobs.at(job)!
    if (eligible <= this.#instant.now) return this.#queue.add(job)
    this.#held.add(job)
    this.#next.push(eligible, job)
  }

  remove(job: number): void {
    if (!this.#held.delete(job)) this.#queue.remove(job)
  }
}
