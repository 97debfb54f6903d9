const BLOCK = 512

/** Waiting jobs in queue order. */
export interface JobQueue<Job> {
  readonly head: Job | undefined
  /** Yields the first `count` jobs of the queue, or all jobs if the queue has fewer. */
  first(count: number): Generator<Job, void>
  /** Returns the number of waiting jobs that come before a job in queue order. The given job need not wait. */
  before(job: Job): number
  /** Returns true if the first of two different jobs comes before the second in queue order. */
  precedes(a: Job, b: Job): boolean
  add(job: Job): void
  remove(job: Job): void
}

/** Waiting jobs in an order that never changes, in sorted blocks. A change of the queue is a binary search and a shift in one block. */
export class WaitingQueue<Job> implements JobQueue<Job> {
  readonly precedes: (a: Job, b: Job) => boolean
  /** Blocks in queue order, each with 1 to `BLOCK` jobs. */
  readonly #blocks: Array<Array<Job>> = []

  /** @param precedes total order: true if the first of two different jobs comes before the second in the queue */
  constructor(precedes: (a: Job, b: Job) => boolean) {
    this.precedes = precedes
  }

  get head(): Job | undefined {
    return this.#blocks[0]?.[0]
  }

  *first(count: number): Generator<Job, void> {
    let left = count
    for (const block of this.#blocks) {
      for (const job of block) {
        if (left-- <= 0) return
        yield job
      }
    }
  }

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
    return lowerBound(this.#blocks.length, (i) => this.precedes(this.#blocks[i].at(-1)!, job))
  }

  #indexIn(block: ReadonlyArray<Job>, job: Job): number {
    return lowerBound(block.length, (i) => this.precedes(block[i], job))
  }
}

/** Numeric ids below `FEW` + `SPARSEST` × the number of jobs are indices of an array, which therefore stays short. */
const FEW = 1024
const SPARSEST = 4
const MOST_DIGITS = 9
const ZERO = 48

/** Jobs by id. Jobs with numeric ids are in an array, because a `Map` with a million strings is slow. */
export class JobRegister<Job> {
  readonly #numbered: Array<Job | undefined> = []
  readonly #others = new Map<string, Job>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: string): Job | undefined {
    const number = numberSpelled(id)
    const job = number < this.#numbered.length ? this.#numbered[number] : undefined
    return job ?? this.#others.get(id)
  }

  /** @param id id of a job, new to the register */
  add(id: string, job: Job): void {
    this.#size++
    const number = numberSpelled(id)
    if (number >= FEW + SPARSEST * this.#size) {
      this.#others.set(id, job)
      return
    }
    while (this.#numbered.length <= number) this.#numbered.push(undefined)
    this.#numbered[number] = job
  }
}

/** Returns the number that an id spells in canonical form with at most 9 digits; Infinity for any other id. */
function numberSpelled(id: string): number {
  const { length } = id
  if (length === 0 || length > MOST_DIGITS || (length > 1 && id.charCodeAt(0) === ZERO)) return Infinity
  let number = 0
  for (let at = 0; at < length; at++) {
    const digit = id.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return Infinity
    number = number * 10 + digit
  }
  return number
}

/** Returns the first index at which `isBefore` is false, by binary search; `count` if no index below `count` is. */
export function lowerBound(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
