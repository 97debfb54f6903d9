import type { IdBuffer } from '@cloister/topology'
import { type Quartiles, quartilesOfCounts } from './quantiles.ts'

const minute = 60_000
/** Lower bounds of the bins of instantaneous utilisation, in percent. */
const bins = ['98', '95', '90', '80', '60', '0'] as const
type Bin = (typeof bins)[number]

/** Node-milliseconds since figures begin, with the first arrival or a window: sums of whole numbers, exact below 2^53. */
export interface NodeTime {
  readonly t: number
  readonly busy: number
  readonly internal: number
  readonly external: number
  readonly placement: number
  /** Of nodes that are down and that no job holds. */
  readonly down: number
  /** Idle while no job waits. */
  readonly noJob: number
  /** Idle while each job that waits asks for more nodes than are idle. */
  readonly tooFew: number
}

/** Where sums of node-time have each of its parts. */
const [T, BUSY, INTERNAL, EXTERNAL, PLACEMENT, DOWN, NO_JOB, TOO_FEW] = [0, 1, 2, 3, 4, 5, 6, 7]
const PARTS = 8

/** Node-time as it was once: to be overwritten again and again, where an object each time would be garbage. */
export class NodeTimeMark {
  readonly #sums: Float64Array = new Float64Array(PARTS)
  #isSet = false

  set(sums: Float64Array): void {
    this.#isSet = true
    for (let part = 0; part < PARTS; part++) this.#sums[part] = sums[part]
  }

  /** Undefined before it was first set. */
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
  }
}

/** How nodes are used over time, integrated and sampled. Times are integer ms. */
export class NodeUsage {
  readonly #nodes: number
  /** For each node. */
  readonly #isAllocated: Uint8Array
  readonly #isDown: Uint8Array
  readonly #sums = new Float64Array(PARTS)
  #origin = 0
  #requested = 0
  #allocated = 0
  /** Neither allocated nor down. */
  #idle: number
  /** Samples per number of busy nodes, of whole minutes until the last finish. */
  readonly #minutes: Float64Array
  /** Busy nodes and number of minutes, in turn, since the last finish. */
  #minutesPending: number[] = []
  /** Of each bin: 100 times the busy nodes that it begins with, and the samples in it. */
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

  /** Figures begin now, with the first arrival or a window: node-time, whole minutes and samples are counted from here. */
  begin(): void {
    this.#origin = this.now
    this.#minutes.fill(0)
    this.#minutesPending = []
    this.#instantaneous.fill(0)
    this.#sums.fill(0, BUSY)
  }

  /**
   * Until `t` nothing changes.
   *
   * @param head size of the first job, in submit order, that waits; undefined when none does
   * @param smallest size of the smallest that waits
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

  /** A run starts on `nodes`; gives a node that is held already, if there is one. */
  start(requested: number, { ids, count }: IdBuffer): number | undefined {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      if (this.#isAllocated[node] === 1) return node
      this.#isAllocated[node] = 1
      if (this.#isDown[node] === 0) this.#idle--
    }
    this.#requested += requested
    this.#allocated += count
    this.#sample()
    return undefined
  }

  release(requested: number, { ids, count }: IdBuffer): void {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      this.#isAllocated[node] = 0
      if (this.#isDown[node] === 0) this.#idle++
    }
    this.#requested -= requested
    this.#allocated -= count
    this.#sample()
  }

  /** Nodes fail, or come back. */
  setDown({ ids, count }: IdBuffer, isDown: boolean): void {
    for (let i = 0; i < count; i++) {
      const node = ids[i]
      if (this.#isAllocated[node] === 0) this.#idle += this.#isDown[node] - Number(isDown)
      this.#isDown[node] = Number(isDown)
    }
  }

  /** A run ends now: what was measured until here counts for the makespan. */
  endRun(): void {
    for (let i = 0; i < this.#minutesPending.length; i += 2) {
      this.#minutes[this.#minutesPending[i]] += this.#minutesPending[i + 1]
    }
    this.#minutesPending.length = 0
  }

  nodeTime(): NodeTime {
    return nodeTimeOf(this.#sums)
  }

  /** Keeps node-time as it is now. */
  mark(mark: NodeTimeMark): void {
    mark.set(this.#sums)
  }

  /** Starts and releases by the share of nodes that are busy after them. */
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
