import { type Quartiles, quartilesOfCounts } from './quantiles.ts'

const minute = 60_000
/** Lower bounds of the bins of instantaneous utilisation, in percent. */
type Bin = '98' | '95' | '90' | '80' | '60' | '0'

/** Node-milliseconds since the first arrival: sums of whole numbers, exact below 2^53. */
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

/** What waits while nodes are idle: the size of the first job in submit order, and of the smallest. */
export interface Demand {
  readonly head: number
  readonly smallest: number
}

/** How nodes are used over time, integrated and sampled. Times are integer ms. */
export class NodeUsage {
  readonly #nodes: number
  /** For each node. */
  readonly #isAllocated: Uint8Array
  readonly #isDown: Uint8Array
  #t = 0
  #origin = 0
  #requested = 0
  #allocated = 0
  /** Neither allocated nor down. */
  #idle: number
  #busy = 0
  #internal = 0
  #external = 0
  #placement = 0
  #down = 0
  #noJob = 0
  #tooFew = 0
  /** Samples per number of busy nodes, of whole minutes until the last finish. */
  readonly #minutes: Float64Array
  /** Busy nodes and number of minutes, in turn, since the last finish. */
  #minutesPending: number[] = []
  readonly #instantaneous = { '98': 0, '95': 0, '90': 0, '80': 0, '60': 0, '0': 0 }

  constructor(nodes: number) {
    this.#nodes = nodes
    this.#isAllocated = new Uint8Array(nodes)
    this.#isDown = new Uint8Array(nodes)
    this.#idle = nodes
    this.#minutes = new Float64Array(nodes + 1)
  }

  get nodes(): number {
    return this.#nodes
  }
  get now(): number {
    return this.#t
  }

  /** The first job arrives now: node-time and whole minutes are counted from here. */
  begin(): void {
    this.#origin = this.#t
    this.#minutesPending = []
    this.#down = 0
    this.#noJob = 0
  }

  /** Until `t` nothing changes. `waiting`: undefined when no job waits. */
  advance(t: number, waiting: Demand | undefined): void {
    const span = t - this.#t
    this.#busy += this.#requested * span
    this.#internal += (this.#allocated - this.#requested) * span
    this.#down += (this.#nodes - this.#allocated - this.#idle) * span
    const idle = this.#idle * span
    if (waiting === undefined) this.#noJob += idle
    else {
      this.#external += idle
      if (waiting.head <= this.#idle) this.#placement += idle
      if (waiting.smallest > this.#idle) this.#tooFew += idle
    }
    const marks = Math.ceil((t - this.#origin) / minute) - Math.ceil((this.#t - this.#origin) / minute)
    if (marks > 0) this.#minutesPending.push(this.#requested, marks)
    this.#t = t
  }

  /** A run starts on `nodes`; gives a node that is held already, if there is one. */
  start(requested: number, nodes: Int32Array): number | undefined {
    for (const node of nodes) {
      if (this.#isAllocated[node] === 1) return node
      this.#isAllocated[node] = 1
      if (this.#isDown[node] === 0) this.#idle--
    }
    this.#requested += requested
    this.#allocated += nodes.length
    this.#sample()
    return undefined
  }

  release(requested: number, nodes: Int32Array): void {
    for (const node of nodes) {
      this.#isAllocated[node] = 0
      if (this.#isDown[node] === 0) this.#idle++
    }
    this.#requested -= requested
    this.#allocated -= nodes.length
    this.#sample()
  }

  /** Nodes fail, or come back. */
  setDown(nodes: Int32Array, isDown: boolean): void {
    for (const node of nodes) {
      if (this.#isAllocated[node] === 0) this.#idle += this.#isDown[node] - Number(isDown)
      this.#isDown[node] = Number(isDown)
    }
  }

  /** A run ends now: what was measured until here counts for the makespan. */
  endRun(): NodeTime {
    for (let i = 0; i < this.#minutesPending.length; i += 2) {
      this.#minutes[this.#minutesPending[i]] += this.#minutesPending[i + 1]
    }
    this.#minutesPending = []
    return this.nodeTime()
  }

  nodeTime(): NodeTime {
    return {
      t: this.#t,
      busy: this.#busy,
      internal: this.#internal,
      external: this.#external,
      placement: this.#placement,
      down: this.#down,
      noJob: this.#noJob,
      tooFew: this.#tooFew,
    }
  }

  /** Starts and releases by the share of nodes that are busy after them. */
  instantaneous(): Readonly<Record<Bin, number>> {
    return { ...this.#instantaneous }
  }
  perMinute(): Quartiles | null {
    return quartilesOfCounts(this.#minutes, this.#nodes)
  }

  #sample(): void {
    const hundredfold = this.#requested * 100
    for (const bound of ['98', '95', '90', '80', '60'] as const) {
      if (hundredfold >= Number(bound) * this.#nodes) {
        this.#instantaneous[bound]++
        return
      }
    }
    this.#instantaneous['0']++
  }
}
