import type { Submit } from '../records/types.ts'
import { JobNumbers } from './job-numbers.ts'
import { QueueMap } from './queue-map.ts'

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
