/** Waiting jobs in queue order. Jobs are numbers. */
export interface JobQueue {
  /** The first waiting job, or undefined. */
  readonly head: number | undefined
  /** Returns the first waiting job behind `job`, or undefined. */
  after(job: number): number | undefined
  /** Fills `jobs` with the first waiting jobs, at most `most`. */
  first(most: number, jobs: Array<number>): void
  /** Returns true if `job` comes before `other` in queue order, even if neither job waits. */
  isBefore(job: number, other: number): boolean
  has(job: number): boolean
  add(job: number): void
  remove(job: number): void
  /** Begins a scheduling pass. Only a queue with an order whose scores change has the method. */
  begin?(): void
  /** Returns the number of waiting jobs before a waiting job. Only a queue with an order whose scores change has the method. */
  before?(job: number): number
  /** Returns true if a job waits outside of the queue, because it is not yet eligible. Only for an order that claims `recorded`. */
  isHeld?(job: number): boolean
}

/** Capacity of `#front`, in jobs. The windows of backfilling are usually shorter. */
const FRONT = 128

/**
 * Waiting jobs in queue order. The order of all jobs is known, so the waiting jobs are a set of ranks (places in queue
 * order): a bit for each rank, a bit for each word of these bits, and so on. The tree finds the next job fast.
 */
export class WaitingJobs implements JobQueue {
  readonly #jobOfRank: Int32Array
  readonly #rankOfJob: Int32Array
  readonly #levels: Array<Int32Array> = []
  /** Ranks of the first waiting jobs, as many as a caller of `first` has needed. */
  readonly #front = new Int32Array(FRONT)
  #inFront = 0

  /** @param order all jobs in queue order */
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

  get head(): number | undefined {
    return this.#jobAt(this.#inFront > 0 ? this.#front[0] : this.#from(0))
  }

  after(job: number): number | undefined {
    return this.#jobAt(this.#from(this.#rankOfJob[job] + 1))
  }

  #jobAt(rank: number): number | undefined {
    return rank === -1 ? undefined : this.#jobOfRank[rank]
  }

  first(most: number, jobs: Array<number>): void {
    this.#fillFront(Math.min(most, FRONT))
    const front = Math.min(most, this.#inFront)
    jobs.length = front
    for (let at = 0; at < front; at++) jobs[at] = this.#jobOfRank[this.#front[at]]
    if (front < FRONT) return
    let rank = this.#front[FRONT - 1]
    while (jobs.length < most && (rank = this.#from(rank + 1)) !== -1) jobs.push(this.#jobOfRank[rank])
  }

  #fillFront(most: number): void {
    while (this.#inFront < most) {
      const rank = this.#from(this.#inFront === 0 ? 0 : this.#front[this.#inFront - 1] + 1)
      if (rank === -1) return
      this.#front[this.#inFront++] = rank
    }
  }

  isBefore(job: number, other: number): boolean {
    return this.#rankOfJob[job] < this.#rankOfJob[other]
  }

  has(job: number): boolean {
    const rank = this.#rankOfJob[job]
    return (this.#levels[0][rank >>> 5] & (1 << (rank & 31))) !== 0
  }

  add(job: number): void {
    if (this.has(job)) return
    const rank = this.#rankOfJob[job]
    for (let at = rank, height = 0; height < this.#levels.length; height++, at >>>= 5)
      this.#levels[height][at >>> 5] |= 1 << (at & 31)
    this.#addToFront(rank)
  }

  /** A rank behind the last one of `#front` is added when `first` needs it. */
  #addToFront(rank: number): void {
    const front = this.#front
    if (this.#inFront === 0 || rank > front[this.#inFront - 1]) return
    if (this.#inFront < FRONT) this.#inFront++
    let at = this.#inFront - 1
    for (; at > 0 && front[at - 1] > rank; at--) front[at] = front[at - 1]
    front[at] = rank
  }

  remove(job: number): void {
    const rank = this.#rankOfJob[job]
    let place = 0
    while (place < this.#inFront && this.#front[place] < rank) place++
    if (this.#front[place] === rank && place < this.#inFront) this.#front.copyWithin(place, place + 1, this.#inFront--)
    for (let at = rank, height = 0; height < this.#levels.length; height++, at >>>= 5) {
      const level = this.#levels[height]
      level[at >>> 5] &= ~(1 << (at & 31))
      if (level[at >>> 5] !== 0) return
    }
  }

  #from(rank: number): number {
    let at = rank
    for (let height = 0; height < this.#levels.length; height++) {
      const word = at >>> 5
      const bits = word < this.#levels[height].length ? this.#levels[height][word] & (-1 << (at & 31)) : 0
      if (bits !== 0) return this.#descend(height, (word << 5) + lowest(bits))
      at = word + 1
    }
    return -1
  }

  #descend(height: number, at: number): number {
    let rank = at
    for (let level = height - 1; level >= 0; level--) rank = (rank << 5) + lowest(this.#levels[level][rank])
    return rank
  }
}

function lowest(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

/** Waiting jobs in queue order, if later jobs are not known in advance. Later jobs have greater numbers. */
export class GrowingQueue implements JobQueue {
  readonly #keyOf: (job: number) => number
  /** Waiting jobs in queue order. */
  readonly #waiting: Array<number> = []

  /** @param keyOf returns the sort key of a job, which never changes; the smallest comes first, ties by number */
  constructor(keyOf: (job: number) => number) {
    this.#keyOf = keyOf
  }

  get head(): number | undefined {
    return this.#waiting[0]
  }

  after(job: number): number | undefined {
    const at = this.#placeOf(job)
    return this.#waiting[this.#waiting[at] === job ? at + 1 : at]
  }

  first(most: number, jobs: Array<number>): void {
    jobs.length = Math.min(most, this.#waiting.length)
    for (let at = 0; at < jobs.length; at++) jobs[at] = this.#waiting[at]
  }

  isBefore(job: number, other: number): boolean {
    const difference = this.#keyOf(job) - this.#keyOf(other)
    return difference < 0 || (difference === 0 && job < other)
  }

  has(job: number): boolean {
    return this.#waiting[this.#placeOf(job)] === job
  }

  add(job: number): void {
    const at = this.#placeOf(job)
    if (this.#waiting[at] !== job) this.#waiting.splice(at, 0, job)
  }

  remove(job: number): void {
    const at = this.#placeOf(job)
    if (this.#waiting[at] === job) this.#waiting.splice(at, 1)
  }

  #placeOf(job: number): number {
    let low = 0
    let high = this.#waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.isBefore(this.#waiting[middle], job)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Returns an array that has a place `at`: the given array, or a larger copy. */
export function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers, at: number): Numbers {
  if (at < numbers.length) return numbers
  const larger = new (numbers.constructor as new (length: number) => Numbers)(2 * at + 64)
  larger.set(numbers)
  return larger
}
