import type { Submit } from '../records/types.ts'
import { JobNumbers } from './job-numbers.ts'
import { QueueMap } from './queue-map.ts'

/** Places of jobs that have left are kept until there are so many, and more of them than of those that wait. */
const FEW = 1024

/**
 * The queue of a state that begins with nothing. A map by text takes as long to fill with a million jobs as their records take to
 * be decoded: this one numbers them, and keeps them in the order in which they came.
 */
export class WaitingQueue extends QueueMap {
  readonly #numbers = new JobNumbers()
  #known = 0
  /** By number of the job: where it stands, -1 where it does not wait. */
  readonly #places: Array<number> = []
  /** By place; undefined where a job has left. */
  #submits: Array<Submit | undefined> = []
  /** Nobody waits before this place. */
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

  /** As in any map, who is there keeps the place. */
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

  /** A number for each job that ever came. */
  #numberOf(job: string): number {
    const number = this.#numbers.get(job)
    if (number !== undefined) return number
    this.#numbers.add(job)
    return this.#known++
  }

  /** Whoever goes through the queue meanwhile goes on through what it was. */
  #close(): void {
    this.#submits = [...this.values()]
    this.#submits.forEach((submit, place) => (this.#places[this.#numbers.get(submit!.job)!] = place))
    this.#first = 0
  }
}
