const NONE = -1

/** Waiting jobs in submit order, as a doubly linked list over their places: adding at the back and removing take constant time. */
export class WaitingQueue<Job extends { readonly order: number }> {
  readonly #jobs: Array<Job> = []
  /** By place; a removed job's own links stay, so that a walk may go on from it. */
  readonly #next: Array<number> = []
  readonly #previous: Array<number> = []
  readonly #waits: Array<boolean> = []
  #head = NONE
  #tail = NONE

  get head(): Job | undefined {
    return this.#jobs[this.#head]
  }

  /** The job that waits behind this one, which may have been the last to leave. */
  after(job: Job): Job | undefined {
    return this.#jobs[this.#next[job.order]]
  }

  /** Puts a job at its place in submit order: new ones at the back, requeued ones further up. */
  add(job: Job): void {
    const at = job.order
    if (this.#waits[at]) return
    this.#jobs[at] = job
    let previous = this.#tail
    while (previous > at) previous = this.#previous[previous]
    const next = previous === NONE ? this.#head : this.#next[previous]
    this.#link(previous, at)
    this.#link(at, next)
    this.#waits[at] = true
  }

  remove(job: Job): void {
    const at = job.order
    if (!this.#waits[at]) return
    this.#waits[at] = false
    const previous = this.#previous[at]
    const next = this.#next[at]
    this.#link(previous, next)
  }

  #link(previous: number, next: number): void {
    if (previous === NONE) this.#head = next
    else this.#next[previous] = next
    if (next === NONE) this.#tail = previous
    else this.#previous[next] = previous
  }
}
