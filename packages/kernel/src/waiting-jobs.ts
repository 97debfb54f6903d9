/** Jobs that wait, in the order of the queue. Jobs are numbers. */
export interface JobQueue {
  /** The first waiting job, or undefined. */
  readonly head: number | undefined
  /** The first waiting job behind `job`, or undefined. */
  after(job: number): number | undefined
  /** Whether `job` goes before `other`, waiting or not. */
  isBefore(job: number, other: number): boolean
  has(job: number): boolean
  add(job: number): void
  remove(job: number): void
}

/**
 * Jobs that wait, in the order of the queue. The order of all jobs is known from the start, so the waiting ones are a
 * set of ranks: a bit for each, a bit for each word of bits, and so on, which finds the next one in a few steps.
 */
export class WaitingJobs implements JobQueue {
  readonly #jobOfRank: Int32Array
  readonly #rankOfJob: Int32Array
  /** `#levels[0]` has a bit for each rank, each further level a bit for each word of the one below. */
  readonly #levels: Array<Int32Array> = []

  /** `order`: all jobs, first the one that goes first. */
  constructor(order: Int32Array) {
    this.#jobOfRank = order
    this.#rankOfJob = new Int32Array(order.length)
    order.forEach((job, rank) => {
      this.#rankOfJob[job] = rank
    })
    for (let bits = order.length; this.#levels.length === 0 || bits > 1;) {
      bits = (bits + 31) >>> 5
      this.#levels.push(new Int32Array(bits))
    }
  }

  /** The first waiting job, or undefined. */
  get head(): number | undefined {
    return this.#from(0)
  }

  /** The first waiting job behind `job`, or undefined. */
  after(job: number): number | undefined {
    return this.#from(this.#rankOfJob[job] + 1)
  }

  /** Whether `job` goes before `other`, waiting or not. */
  isBefore(job: number, other: number): boolean {
    return this.#rankOfJob[job] < this.#rankOfJob[other]
  }

  has(job: number): boolean {
    const rank = this.#rankOfJob[job]
    return (this.#levels[0][rank >>> 5] & (1 << (rank & 31))) !== 0
  }

  add(job: number): void {
    let at = this.#rankOfJob[job]
    for (const level of this.#levels) {
      level[at >>> 5] |= 1 << (at & 31)
      at >>>= 5
    }
  }

  remove(job: number): void {
    let at = this.#rankOfJob[job]
    for (const level of this.#levels) {
      level[at >>> 5] &= ~(1 << (at & 31))
      if (level[at >>> 5] !== 0) return
      at >>>= 5
    }
  }

  #from(rank: number): number | undefined {
    let at = rank
    for (let height = 0; height < this.#levels.length; height++) {
      const word = at >>> 5
      const bits = word < this.#levels[height].length ? this.#levels[height][word] & (-1 << (at & 31)) : 0
      if (bits !== 0) return this.#descend(height, (word << 5) + lowest(bits))
      at = word + 1
    }
    return undefined
  }

  #descend(height: number, at: number): number {
    let rank = at
    for (let level = height - 1; level >= 0; level--) rank = (rank << 5) + lowest(this.#levels[level][rank])
    return this.#jobOfRank[rank]
  }
}

function lowest(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
