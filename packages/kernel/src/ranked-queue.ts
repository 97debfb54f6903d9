import type { BoundOrder, QueueView } from '@cloister/ordering'
import { KeyedHeap } from '@cloister/topology'
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
  // A plain loop: under a changing order every scheduling pass asks for the scores of all waiting jobs.
  for (let row = 0; row < scores.length; row++)
    if (Number.isNaN(scores[row]))
      throw new OrderFaultError(order.name, view.now, `gives job ${view.waiting.id[row]} the score NaN, or no score`)
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
  /** Waiting jobs, ascending. */
  readonly #waiting: Array<number> = []
  #isRanked = false
  /** Waiting jobs at the last ranking, ascending, and their scores. */
  #jobs: ReadonlyArray<number> = []
  #scores: Float64Array = new Float64Array(0)
  /** Rows of `#jobs` that no question has needed yet: a pass looks at few of many waiting jobs. */
  readonly #others = new KeyedHeap()
  /** First jobs in queue order; jobs that have left the queue since the last ranking included. */
  readonly #first: Array<number> = []
  readonly #placeOf = new Map<number, number>()
  /** Place in `#first` before which no job waits. */
  #head = 0

  constructor(order: BoundOrder, viewOf: (waiting: ReadonlyArray<number>) => QueueView) {
    this.#order = order
    this.#viewOf = viewOf
  }

  begin(): void {
    this.#isRanked = false
  }

  get head(): number | undefined {
    this.#rank()
    const job = this.#waitingFrom(this.#head)
    if (job !== undefined) this.#head = this.#placeOf.get(job)!
    return job
  }

  after(job: number): number | undefined {
    this.#rank()
    while (!this.#placeOf.has(job) && this.#jobAt(this.#first.length) !== undefined);
    return this.#waitingFrom((this.#placeOf.get(job) ?? this.#first.length) + 1)
  }

  first(most: number, jobs: Array<number>): void {
    jobs.length = 0
    for (let job = this.head; jobs.length < most && job !== undefined; job = this.after(job)) jobs.push(job)
  }

  /** A job that was not in the queue at the last ranking counts as if it waited now. */
  isBefore(job: number, other: number): boolean {
    this.#rank()
    const rows = [placeIn(this.#jobs, job), placeIn(this.#jobs, other)] as const
    if (this.#jobs[rows[0]] === job && this.#jobs[rows[1]] === other) return isFirst(this.#scores, ...rows)
    const all = [...new Set([...this.#waiting, job, other])].sort((a, b) => a - b)
    return isFirst(scoresOf(this.#order, this.#viewOf(all)), all.indexOf(job), all.indexOf(other))
  }

  before(job: number): number {
    this.#rank()
    const row = placeIn(this.#jobs, job)
    let before = 0
    let left = 0
    for (let other = 0; other < this.#jobs.length; other++) {
      if (this.#jobs[other] !== this.#waiting[left]) continue
      left++
      if (isFirst(this.#scores, other, row)) before++
    }
    return before
  }

  has(job: number): boolean {
    return this.#waiting[placeIn(this.#waiting, job)] === job
  }

  add(job: number): void {
    const place = placeIn(this.#waiting, job)
    if (this.#waiting[place] !== job) this.#waiting.splice(place, 0, job)
    this.#isRanked = false
  }

  remove(job: number): void {
    if (this.#order.eachStart === true && job === this.#first[this.#head]) this.#isRanked = false
    const place = placeIn(this.#waiting, job)
    if (this.#waiting[place] === job) this.#waiting.splice(place, 1)
  }

  #rank(): void {
    if (this.#isRanked) return
    this.#isRanked = true
    this.#first.length = 0
    this.#placeOf.clear()
    this.#head = 0
    this.#jobs = this.#waiting.slice()
    this.#scores = scoresOf(this.#order, this.#viewOf(this.#jobs))
    this.#others.clear()
    if (this.#order.eachStart === true && this.#scores.every((score) => score === Infinity)) return
    for (let row = 0; row < this.#scores.length; row++) this.#others.append(this.#scores[row], row)
    this.#others.order()
  }

  /** Returns the first job from a place on that still waits. */
  #waitingFrom(place: number): number | undefined {
    for (let at = place; ; at++) {
      const job = this.#jobAt(at)
      if (job === undefined || this.has(job)) return job
    }
  }

  /** Returns the job at a place of the ranking; undefined if fewer jobs are ranked. */
  #jobAt(place: number): number | undefined {
    while (this.#first.length <= place && this.#others.first !== -1) {
      const job = this.#jobs[this.#others.pop()]
      this.#placeOf.set(job, this.#first.push(job) - 1)
    }
    return this.#first[place]
  }
}

function isFirst(scores: Float64Array, row: number, other: number): boolean {
  return (compare(scores[row], scores[other]) || row - other) < 0
}

/** Returns the place of a job in a list of ascending jobs, or the place where the list lacks the job. */
function placeIn(jobs: ReadonlyArray<number>, job: number): number {
  let low = 0
  let high = jobs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (jobs[middle] < job) low = middle + 1
    else high = middle
  }
  return low
}

/** Compares two scores, which may be infinite. */
export function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
