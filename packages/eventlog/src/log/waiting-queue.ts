import type { Submit } from '../records/types.ts'
import { JobNumbers } from './ids.ts'

/** Map of the waiting jobs by id. A subclass defines `values`: the jobs in the order of joining the queue. */
abstract class QueueMap extends Map<string, Submit> {
  override *keys(): MapIterator<string> {
    for (const { job } of this.values()) yield job
  }

  override *entries(): MapIterator<[string, Submit]> {
    for (const submit of this.values()) yield [submit.job, submit]
  }

  override [Symbol.iterator](): MapIterator<[string, Submit]> {
    return this.entries()
  }

  override forEach(call: (submit: Submit, job: string, queue: Map<string, Submit>) => void, self?: unknown): void {
    for (const submit of this.values()) call.call(self, submit, submit.job, this)
  }
}

/** Vacant places are removed once the queue has more than `FEW` places plus two for each waiting job. */
const FEW = 1024

/**
 * Queue of a `LogState` that begins without jobs; numbers the jobs, and keeps them in the order of joining the queue.
 * Filling a plain `Map` with a million job ids would take as long as decoding the jobs' records.
 */
export class WaitingQueue extends QueueMap {
  readonly #numbers = new JobNumbers()
  #known = 0
  /** Index in `#submits` of each job, by the job's number; -1 if the job does not wait. */
  readonly #places: Array<number> = []
  /** Submit record of the waiting job at each place; undefined if the job at this place has left the queue. */
  #submits: Array<Submit | undefined> = []
  /** First place with a waiting job: all places before this place are vacant. */
  #first = 0
  #size = 0

  override get size(): number {
    return this.#size
  }

  override get(job: string): Submit | undefined {
    const place = this.#placeOf(job)
    return place < 0 ? undefined : this.#submits[place]
  }

  override has(job: string): boolean {
    return this.#placeOf(job) >= 0
  }

  /** Adds a job at the end of the queue. A job that waits already keeps its place in the queue. */
  override set(job: string, submit: Submit): this {
    const place = this.#placeOf(job)
    if (place >= 0) this.#submits[place] = submit
    else {
      this.#places[this.#numberOf(job)] = this.#submits.length
      this.#submits.push(submit)
      this.#size++
    }
    return this
  }

  override delete(job: string): boolean {
    const number = this.#numbers.get(job)
    if (number === undefined || this.#places[number] < 0) return false
    const place = this.#places[number]
    this.#places[number] = -1
    this.#submits[place] = undefined
    this.#size--
    while (this.#first < this.#submits.length && this.#submits[this.#first] === undefined) this.#first++
    if (this.#submits.length > FEW + 2 * this.#size) this.#close()
    return true
  }

  override clear(): void {
    for (const job of this.keys()) this.delete(job)
  }

  override *values(): MapIterator<Submit> {
    const submits = this.#submits
    for (let place = this.#first; place < submits.length; place++) {
      const submit = submits[place]
      if (submit !== undefined) yield submit
    }
  }

  #placeOf(job: string): number {
    const number = this.#numbers.get(job)
    return number === undefined ? -1 : this.#places[number]
  }

  /** A job keeps its number when the job leaves the queue. */
  #numberOf(job: string): number {
    const number = this.#numbers.get(job)
    if (number !== undefined) return number
    this.#numbers.add(job)
    return this.#known++
  }

  /** Removes vacant places. An iteration that has begun continues over the old list. */
  #close(): void {
    this.#submits = [...this.values()]
    this.#submits.forEach((submit, place) => (this.#places[this.#numbers.get(submit!.job)!] = place))
    this.#first = 0
  }
}

/** Waiting jobs at a snapshot, looked up in an index without a copy of the queue. */
export interface QueueBefore {
  readonly size: number
  readonly get: (job: string) => Submit | undefined
  /** Returns the waiting jobs in the order of joining the queue. */
  readonly values: () => Iterable<Submit>
}

/**
 * Queue of a `LogState` that begins at a snapshot: holds only the changes since the snapshot. A hundred thousand jobs
 * may wait, and a copy of the queue would take nearly all of the time of making a state.
 */
export class RestoredQueue extends QueueMap {
  readonly #before: QueueBefore
  /** Ids of the jobs that waited at the snapshot and have left the queue since. */
  readonly #left = new Set<string>()

  constructor(before: QueueBefore) {
    super()
    this.#before = before
  }

  override get size(): number {
    return this.#before.size - this.#left.size + super.size
  }

  override get(job: string): Submit | undefined {
    return super.get(job) ?? this.#getBefore(job)
  }

  override has(job: string): boolean {
    return this.get(job) !== undefined
  }

  /** Adds a job at the end of the queue. A job that waits already keeps its place in the queue. */
  override set(job: string, submit: Submit): this {
    return this.#getBefore(job) === undefined ? super.set(job, submit) : this
  }

  override delete(job: string): boolean {
    if (super.delete(job)) return true
    if (this.#getBefore(job) === undefined) return false
    this.#left.add(job)
    return true
  }

  override clear(): void {
    for (const { job } of this.#before.values()) this.#left.add(job)
    super.clear()
  }

  override *values(): MapIterator<Submit> {
    for (const submit of this.#before.values()) if (!this.#left.has(submit.job)) yield submit
    yield* super.values()
  }

  #getBefore(job: string): Submit | undefined {
    return this.#left.has(job) ? undefined : this.#before.get(job)
  }
}
