import type { BoundOrder, QueueView } from '@cloister/ordering'
import { OrderFaultError } from './order-fault.ts'
import type { JobQueue } from './waiting-jobs.ts'

/** Asks an order for scores. @throws OrderFaultError if the order throws, or if a score is NaN */
export function scoresOf({ order, ordering }: BoundOrder, view: QueueView, behindHead: boolean = false): Float64Array {
  const scores = new Float64Array(view.waiting.length).fill(NaN)
  if (behindHead) scores[0] = 0
  try {
    if (behindHead) ordering.scoreBehindHead!(view, scores)
    else ordering.score(view, scores)
  } catch (cause) {
    throw new OrderFaultError(order.name, view.now, `throws ${String(cause)}`, cause)
  }
  const wrong = scores.findIndex((score) => Number.isNaN(score))
  if (wrong >= 0)
    throw new OrderFaultError(order.name, view.now, `gives job ${view.waiting.id[wrong]} the score NaN, or no score`)
  return scores
}

/**
 * Waiting jobs under an order whose scores change. After `begin`, the first question about the order asks for the scores
 * of all waiting jobs. The order then stays until the next `begin`, or until a job joins the queue. An order with
 * `eachStart` is also asked again after the head leaves the queue.
 */
export class RankedQueue implements JobQueue {
  readonly #order: BoundOrder
  readonly #viewOf: (waiting: ReadonlyArray<number>) => QueueView
  readonly #waiting = new Set<number>()
  #isRanked = false
  /** Jobs in queue order; jobs that have left the queue since the last ranking included. */
  #ranked: ReadonlyArray<number> = []
  #placeOf: ReadonlyMap<number, number> = new Map()
  /** Place in `#ranked` before which no job waits. */
  #first = 0

  constructor(order: BoundOrder, viewOf: (waiting: ReadonlyArray<number>) => QueueView) {
    this.#order = order
    this.#viewOf = viewOf
  }

  begin(): void {
    this.#isRanked = false
  }

  get head(): number | undefined {
    this.#rank()
    while (this.#first < this.#ranked.length && !this.#waiting.has(this.#ranked[this.#first])) this.#first++
    return this.#ranked[this.#first]
  }

  after(job: number): number | undefined {
    this.#rank()
    let place = this.#placeOf.get(job)! + 1
    while (place < this.#ranked.length && !this.#waiting.has(this.#ranked[place])) place++
    return this.#ranked[place]
  }

  first(most: number, jobs: Array<number>): void {
    jobs.length = 0
    for (let job = this.head; jobs.length < most && job !== undefined; job = this.after(job)) jobs.push(job)
  }

  /** A job that was not in the queue at the last ranking counts as if it waited now. */
  isBefore(job: number, other: number): boolean {
    this.#rank()
    const places = this.#placeOf
    const ranked = places.has(job) && places.has(other) ? places : placesIn(this.#ranking([job, other]))
    return ranked.get(job)! < ranked.get(other)!
  }

  has(job: number): boolean {
    return this.#waiting.has(job)
  }

  add(job: number): void {
    this.#waiting.add(job)
    this.#isRanked = false
  }

  remove(job: number): void {
    if (this.#order.eachStart === true && job === this.#ranked[this.#first]) this.#isRanked = false
    this.#waiting.delete(job)
  }

  #rank(): void {
    if (this.#isRanked) return
    this.#isRanked = true
    this.#ranked = this.#ranking([])
    this.#placeOf = placesIn(this.#ranked)
    this.#first = 0
  }

  /** Returns the waiting jobs and `others` in queue order. */
  #ranking(others: ReadonlyArray<number>): ReadonlyArray<number> {
    const jobs = Array.from(new Set([...this.#waiting, ...others])).sort((a, b) => a - b)
    const scores = scoresOf(this.#order, this.#viewOf(jobs))
    if (this.#order.eachStart === true && scores.every((score) => score === Infinity)) return []
    const rows = Array.from(jobs.keys()).sort((a, b) => compare(scores[a], scores[b]) || a - b)
    return rows.map((row) => jobs[row])
  }
}

function placesIn(ranked: ReadonlyArray<number>): ReadonlyMap<number, number> {
  return new Map(ranked.map((job, place) => [job, place]))
}

/** Compares two scores, which may be infinite. */
export function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
