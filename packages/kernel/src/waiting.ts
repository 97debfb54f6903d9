/** Jobs that wait, in submit order: a doubly linked list over job numbers, so that leaving from the middle costs nothing. */
export class WaitingList {
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #end: number
  #length = 0

  constructor(jobs: number) {
    this.#end = jobs
    this.#next = new Int32Array(jobs + 1).fill(jobs)
    this.#previous = new Int32Array(jobs + 1).fill(jobs)
  }

  get length(): number { return this.#length }

  /** The first waiting job, or undefined. */
  get head(): number | undefined { return this.after(this.#end) }

  /** The job behind `job`, or undefined. */
  after(job: number): number | undefined {
    const next = this.#next[job]!
    return next === this.#end ? undefined : next
  }

  append(job: number): void {
    this.#link(this.#previous[this.#end]!, job)
    this.#link(job, this.#end)
    this.#length++
  }

  remove(job: number): void {
    this.#link(this.#previous[job]!, this.#next[job]!)
    this.#length--
  }

  #link(before: number, after: number): void {
    this.#next[before] = after
    this.#previous[after] = before
  }
}
