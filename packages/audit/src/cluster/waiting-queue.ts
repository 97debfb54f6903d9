import { lowerBound } from '../lower-bound.ts'

const BLOCK = 512

/** Waiting jobs in queue order, in sorted blocks. A change of the queue is a binary search and a shift in one block. */
export class WaitingQueue<Job> {
  readonly #precedes: (a: Job, b: Job) => boolean
  /** Blocks in queue order, each with 1 to `BLOCK` jobs. */
  readonly #blocks: Array<Array<Job>> = []

  /** @param precedes total order: true if the first of two different jobs comes before the second in the queue */
  constructor(precedes: (a: Job, b: Job) => boolean) {
    this.#precedes = precedes
  }

  get head(): Job | undefined {
    return this.#blocks[0]?.[0]
  }

  /** Yields the first `count` jobs of the queue, or all jobs if the queue has fewer. */
  *first(count: number): Generator<Job> {
    let left = count
    for (const block of this.#blocks) {
      for (const job of block) {
        if (left-- <= 0) return
        yield job
      }
    }
  }

  /** Returns the number of waiting jobs that come before a job in queue order. The given job need not wait. */
  before(job: Job): number {
    const at = this.#blockFor(job)
    let before = 0
    for (let i = 0; i < at; i++) before += this.#blocks[i].length
    return at === this.#blocks.length ? before : before + this.#indexIn(this.#blocks[at], job)
  }

  add(job: Job): void {
    // A job behind all waiting jobs goes to the end of the last block.
    const at = Math.min(this.#blockFor(job), Math.max(this.#blocks.length - 1, 0))
    const block = (this.#blocks[at] ??= [])
    const index = this.#indexIn(block, job)
    if (block[index] === job) return
    block.splice(index, 0, job)
    if (block.length > BLOCK) this.#blocks.splice(at + 1, 0, block.splice(BLOCK / 2))
  }

  remove(job: Job): void {
    const at = this.#blockFor(job)
    const block = this.#blocks[at]
    if (block === undefined) return
    const index = this.#indexIn(block, job)
    if (block[index] !== job) return
    block.splice(index, 1)
    if (block.length === 0) this.#blocks.splice(at, 1)
  }

  /** Returns the index of the first block with a last job not before `job`; the number of blocks if there is none. */
  #blockFor(job: Job): number {
    return lowerBound(this.#blocks.length, (i) => this.#precedes(this.#blocks[i].at(-1)!, job))
  }

  #indexIn(block: ReadonlyArray<Job>, job: Job): number {
    return lowerBound(block.length, (i) => this.#precedes(block[i], job))
  }
}
