/** When running jobs really end: a binary heap by time, then by submit order. */
export class EndQueue {
  readonly #times: Float64Array
  readonly #jobs: Int32Array
  #size = 0

  /** `capacity`: the most jobs that can run at once. */
  constructor(capacity: number) {
    this.#times = new Float64Array(capacity)
    this.#jobs = new Int32Array(capacity)
  }

  /** Infinity when nothing runs. */
  get nextTime(): number { return this.#size === 0 ? Infinity : this.#times[0]! }

  push(time: number, job: number): void {
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#before(time, job, parent)) break
      this.#move(parent, at)
      at = parent
    }
    this.#put(at, time, job)
  }

  /** Removes the first and returns its job. */
  pop(): number {
    const first = this.#jobs[0]!
    const last = --this.#size
    const time = this.#times[last]!
    const job = this.#jobs[last]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) break
      if (child + 1 < last && this.#before(this.#times[child + 1]!, this.#jobs[child + 1]!, child)) child++
      if (this.#before(time, job, child)) break
      this.#move(child, at)
      at = child
    }
    this.#put(at, time, job)
    return first
  }

  #before(time: number, job: number, at: number): boolean {
    const other = this.#times[at]!
    return time !== other ? time < other : job < this.#jobs[at]!
  }
  #move(from: number, to: number): void { this.#put(to, this.#times[from]!, this.#jobs[from]!) }
  #put(at: number, time: number, job: number): void {
    this.#times[at] = time
    this.#jobs[at] = job
  }
}
