import type { IdBuffer } from '@cloister/topology'

const minute = 60_000
/** Lower bounds of the bins of instantaneous utilization, in percent. */
const bins = ['98', '95', '90', '80', '60', '0'] as const
type Bin = (typeof bins)[number]

/** Node-milliseconds since the first arrival or the begin of a window: sums of whole numbers, exact below 2^53. */
export interface NodeTime {
  /** Time of the sums, in ms. */
  readonly t: number
  /** Node-time that running jobs requested. */
  readonly busy: number
  /** Node-time of allocations beyond the requests. */
  readonly internal: number
  /** Idle node-time while a job waits. */
  readonly external: number
  /** Idle node-time while the first waiting job, in submit order, requests no more nodes than are idle. */
  readonly placement: number
  /** Node-time of nodes that are down and not allocated. */
  readonly down: number
  /** Idle node-time while no job waits. */
  readonly noJob: number
  /** Idle node-time while each waiting job requests more nodes than are idle. */
  readonly tooFew: number
  /** Node-time that the moves so far add to the moved jobs; `busy` has this node-time when it passes. */
  readonly moving: number
}

// Indices of the members of `NodeTime` in arrays of sums.
const [T, BUSY, INTERNAL, EXTERNAL, PLACEMENT, DOWN, NO_JOB, TOO_FEW, MOVING] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const PARTS = 9

/** Copy of the sums of node-time at one time. A later copy overwrites the mark, so that no new object is needed. */
export class NodeTimeMark {
  readonly #sums: Float64Array = new Float64Array(PARTS)
  #isSet = false

  set(sums: Float64Array): void {
    this.#isSet = true
    for (let part = 0; part < PARTS; part++) this.#sums[part] = sums[part]
  }

  /** The node-time; undefined before the first `set`. */
  get nodeTime(): NodeTime | undefined {
    return this.#isSet ? nodeTimeOf(this.#sums) : undefined
  }
}

function nodeTimeOf(sums: Float64Array): NodeTime {
  return {
    t: sums[T],
    busy: sums[BUSY],
    internal: sums[INTERNAL],
    external: sums[EXTERNAL],
    placement: sums[PLACEMENT],
    down: sums[DOWN],
    noJob: sums[NO_JOB],
    tooFew: sums[TOO_FEW],
    moving: sums[MOVING],
  }
}

/** Integrates and samples the use of nodes over time. Times are integer ms. */
export class NodeUsage {
  readonly #nodes: number
  readonly #isAllocated: Uint8Array
  readonly #isDown: Uint8Array
  readonly #sums = new Float64Array(PARTS)
  #origin = 0
  #requested = 0
  #allocated = 0
  /** Number of nodes that are neither allocated nor down. */
  #idle: number
  /** Number of samples for each number of busy nodes: one sample a whole minute until the last end of a job. */
  readonly #minutes: Float64Array
  /** Samples since the last end of a job, in pairs: number of busy nodes, number of minutes with so many busy nodes. */
  #minutesPending: number[] = []
  /** Lower bound of each bin, as number of busy nodes times 100. */
  readonly #bounds: Float64Array
  readonly #instantaneous = new Float64Array(bins.length)

  constructor(nodes: number) {
    this.#nodes = nodes
    this.#isAllocated = new Uint8Array(nodes)
    this.#isDown = new Uint8Array(nodes)
    this.#idle = nodes
    this.#minutes = new Float64Array(nodes + 1)
    this.#bounds = Float64Array.from(bins, (bound) => Number(bound) * nodes)
  }

  get nodes(): number {
    return this.#nodes
  }
  get now(): number {
    return this.#sums[T]
  }

  /** Resets node-time, minutes and samples: the figures begin now, at the first arrival or the begin of a window. */
  begin(): void {
    this.#origin = this.now
    this.#minutes.fill(0)
    this.#minutesPending = []
    this.#instantaneous.fill(0)
    this.#sums.fill(0, BUSY)
  }

  /**
   * Advances the time to `t` without a change of the nodes.
   *
   * @param head size of the first waiting job in submit order; undefined if no job waits
   * @param smallest size of the smallest waiting job; Infinity if no job waits
   */
  advance(t: number, head: number | undefined, smallest: number): void {
    const sums = this.#sums
    const before = sums[T]
    const span = t - before
    sums[BUSY] += this.#requested * span
    sums[INTERNAL] += (this.#allocated - this.#requested) * span
    sums[DOWN] += (this.#nodes - this.#allocated - this.#idle) * span
    const idle = this.#idle * span
    if (head === undefined) sums[NO_JOB] += idle
    else {
      sums[EXTERNAL] += idle
      if (head <= this.#idle) sums[PLACEMENT] += idle
      if (smallest > this.#idle) sums[TOO_FEW] += idle
    }
    const marks = Math.ceil((t - this.#origin) / minute) - Math.ceil((before - this.#origin) / minute)
    if (marks > 0) this.#minutesPending.push(this.#requested, marks)
    sums[T] = t
  }

  /**
   * Starts a run, or gives a moving job its new nodes. Returns the first of the ids whose node is already allocated;
   * undefined if there is none.
   */
  start(requested: number, { ids, count }: IdBuffer, isMove: boolean): number | undefined {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      if (this.#isAllocated[node] === 1) return node
      this.#isAllocated[node] = 1
      if (this.#isDown[node] === 0) this.#idle--
    }
    this.#requested += requested
    this.#allocated += count
    if (!isMove) this.#sample()
    return undefined
  }

  /** Adds node-time that moves cost, in ms. */
  addCost(time: number): void {
    this.#sums[MOVING] += time
  }

  release(requested: number, { ids, count }: IdBuffer, isMove: boolean): void {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      this.#isAllocated[node] = 0
      if (this.#isDown[node] === 0) this.#idle++
    }
    this.#requested -= requested
    this.#allocated -= count
    if (!isMove) this.#sample()
  }

  /** Marks nodes as down or as up again. */
  setDown({ ids, count }: IdBuffer, isDown: boolean): void {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      if (this.#isAllocated[node] === 0) this.#idle += this.#isDown[node] - Number(isDown)
      this.#isDown[node] = Number(isDown)
    }
  }

  /** Notes that a job's run has ended: the samples of whole minutes until now belong to the makespan. */
  endRun(): void {
    for (let i = 0; i < this.#minutesPending.length; i += 2) {
      this.#minutes[this.#minutesPending[i]] += this.#minutesPending[i + 1]
    }
    this.#minutesPending.length = 0
  }

  nodeTime(): NodeTime {
    return nodeTimeOf(this.#sums)
  }

  /** Copies the present node-time into a mark. */
  mark(mark: NodeTimeMark): void {
    mark.set(this.#sums)
  }

  /** Returns, for each bin, the number of starts and releases after which the share of busy nodes is in the bin. */
  instantaneous(): Readonly<Record<Bin, number>> {
    return Object.fromEntries(bins.map((bin, i) => [bin, this.#instantaneous[i]])) as Record<Bin, number>
  }
  perMinute(): Quartiles | null {
    return quartilesOfCounts(this.#minutes, this.#nodes)
  }

  #sample(): void {
    const hundredfold = this.#requested * 100
    let bin = 0
    while (bin < bins.length - 1 && hundredfold < this.#bounds[bin]) bin++
    this.#instantaneous[bin]++
  }
}

/** Quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan). */
export interface Quartiles {
  readonly min: number
  readonly q1: number
  readonly median: number
  readonly q3: number
  readonly max: number
}

/** Returns the quartiles of a sample with `counts[v]` values `v`, each divided by `scale`; null for an empty sample. */
function quartilesOfCounts(counts: ArrayLike<number>, scale: number): Quartiles | null {
  let total = 0
  for (let value = 0; value < counts.length; value++) total += counts[value]
  if (total === 0) return null
  const quartile = (quarter: number): number => {
    const position = ((total - 1) * quarter) / 4
    const below = Math.floor(position)
    const low = orderStatistic(counts, below)
    return (low + (position - below) * (orderStatistic(counts, Math.ceil(position)) - low)) / scale
  }
  return { min: quartile(0), q1: quartile(1), median: quartile(2), q3: quartile(3), max: quartile(4) }
}

/** Returns the value at the index `rank`, from 0, of the sorted sample. */
function orderStatistic(counts: ArrayLike<number>, rank: number): number {
  let seen = 0
  let value = -1
  while (seen <= rank) seen += counts[++value]
  return value
}

/** Sizes of the waiting jobs. The smallest size is found fast. */
export class WaitingSizes {
  /** Number of waiting jobs by size. The last number counts all waiting jobs that request more nodes than there are. */
  readonly #counts: Uint32Array
  /** Lower bound of the size of the smallest waiting job. */
  #from = 0
  #length = 0

  /** @param nodes number of nodes of the machine */
  constructor(nodes: number) {
    this.#counts = new Uint32Array(nodes + 2)
  }

  get length(): number {
    return this.#length
  }

  add(size: number): void {
    const place = this.#placeOf(size)
    this.#counts[place]++
    this.#from = Math.min(this.#from, place)
    this.#length++
  }

  delete(size: number): void {
    this.#counts[this.#placeOf(size)]--
    this.#length--
  }

  /** Returns the size of the smallest waiting job; Infinity if no job waits. */
  smallest(): number {
    if (this.#length === 0) return Infinity
    while (this.#counts[this.#from] === 0) this.#from++
    return this.#from
  }

  #placeOf(size: number): number {
    return Math.min(size, this.#counts.length - 1)
  }
}
