import type { Effort } from '../effort.ts'
import type { JobQueue } from './job-lists.ts'
import type { Job } from './jobs.ts'
import type { QueueOrder } from './scores.ts'

/** Time and running jobs of the scheduling pass to which questions about the queue refer. */
export interface PassView {
  /** Time of the pass, in ms. */
  readonly passTime: number
  readonly holders: ReadonlyMap<number, Job>
  readonly effort: Effort
}

/**
 * Waiting jobs in an order whose scores change. The first question after `begin` ranks the jobs that wait then. The order
 * stays for the scheduling pass, until a job joins the queue.
 */
export class RankedQueue implements JobQueue<Job> {
  readonly #order: QueueOrder
  readonly #pass: PassView
  readonly #waiting = new Set<Job>()
  #isRanked = false
  /** First jobs of the ranking in queue order, as many as a question has needed; some have left the queue since. */
  #first: Array<Job> = []
  /** Number of the first jobs of `#first` that have left the queue. */
  #left = 0
  /** The other ranked jobs, as a heap with the next job at place 0. */
  #others: Array<Job> = []

  constructor(order: QueueOrder, pass: PassView) {
    this.#order = order
    this.#pass = pass
  }

  begin(): void {
    this.#isRanked = false
  }

  get head(): Job | undefined {
    this.#rank()
    while (this.#at(this.#left) !== undefined && !this.#waiting.has(this.#at(this.#left)!)) this.#left++
    return this.#at(this.#left)
  }

  *first(count: number): Generator<Job, void> {
    this.#rank()
    let left = count
    for (let place = this.#left; left > 0; place++) {
      const job = this.#at(place)
      if (job === undefined) return
      if (!this.#waiting.has(job)) continue
      left--
      yield job
    }
  }

  before(job: Job): number {
    let before = 0
    for (const each of this.first(Infinity)) {
      if (!this.precedes(each, job)) break
      before++
    }
    return before
  }

  /** Both jobs must wait, or have started in this pass. */
  precedes(a: Job, b: Job): boolean {
    this.#rank()
    return comesBefore(a, b)
  }

  add(job: Job): void {
    this.#waiting.add(job)
    this.#isRanked = false
  }

  remove(job: Job): void {
    this.#waiting.delete(job)
  }

  #rank(): void {
    if (this.#isRanked) return
    this.#isRanked = true
    const { passTime, holders, effort } = this.#pass
    effort.allows(this.#waiting.size + holders.size)
    this.#order.begin?.(passTime, holders.values())
    for (const job of this.#waiting) job.score = this.#order.score(job, passTime)
    this.#first = []
    this.#left = 0
    this.#others = Array.from(this.#waiting)
    for (let at = (this.#others.length >> 1) - 1; at >= 0; at--) sink(this.#others, at)
  }

  /** Returns the job at a place of the ranking; undefined if fewer jobs are ranked. */
  #at(place: number): Job | undefined {
    while (this.#first.length <= place && this.#others.length > 0) {
      const last = this.#others.pop()!
      this.#first.push(this.#others[0] ?? last)
      if (this.#others.length === 0) break
      this.#others[0] = last
      sink(this.#others, 0)
    }
    return this.#first[place]
  }
}

/** Returns true if a job comes before another job by their scores; ties in submit order. */
export function comesBefore(a: Job, b: Job): boolean {
  return a.score < b.score || (a.score === b.score && a.order < b.order)
}

function sink(heap: Array<Job>, from: number): void {
  const job = heap[from]
  let at = from
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && comesBefore(heap[child + 1], heap[child])) child++
    if (!comesBefore(heap[child], job)) break
    heap[at] = heap[child]
    at = child
  }
  heap[at] = job
}
