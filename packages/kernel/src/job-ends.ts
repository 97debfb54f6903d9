/** When running jobs really end: a binary heap by time, integer milliseconds, then by submit order. */
export class JobEnds {
  readonly #times: Array<number> = []
  readonly #jobs: Array<number> = []

  /** Infinity when nothing runs. */
  get nextTime(): number {
    return this.#times.length === 0 ? Infinity : this.#times[0]
  }
  get nextJob(): number {
    return this.#jobs[0]
  }

  push(time: number, job: number): void {
    let at = this.#times.length
    this.#put(at, time, job)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#before(time, job, parent)) break
      this.#put(at, this.#times[parent], this.#jobs[parent])
      at = parent
    }
    this.#put(at, time, job)
  }

  /** Removes the first. */
  pop(): void {
    const time = this.#times.pop()!
    const job = this.#jobs.pop()!
    const last = this.#times.length
    if (last === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) break
      if (child + 1 < last && this.#before(this.#times[child + 1], this.#jobs[child + 1], child)) child++
      if (this.#before(time, job, child)) break
      this.#put(at, this.#times[child], this.#jobs[child])
      at = child
    }
    this.#put(at, time, job)
  }

  #before(time: number, job: number, at: number): boolean {
    const other = this.#times[at]
    return time !== other ? time < other : job < this.#jobs[at]
  }
  #put(at: number, time: number, job: number): void {
    this.#times[at] = time
    this.#jobs[at] = job
  }
}
