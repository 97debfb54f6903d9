import { type ColumnArrays, Columns } from './columns.ts'

/** Columns of allocations: one row for each start of a job, in the order of the starts. Times are integer ms. */
const kinds = {
  /** Row of the job in the table of the run. */
  job: Int32Array,
  start: Float64Array,
  /** Release of the allocation; NaN while the job holds the nodes. */
  released: Float64Array,
  /** State of the job at the end of the run, as an index in `jobStates`: finished, failed or killed; before, running. */
  outcome: Uint8Array,
  /** 1 if the start was by backfilling, else 0. */
  backfilled: Uint8Array,
  /** Number of values in `ranges` before the values of the allocation. */
  rangesFrom: Int32Array,
}

/** Nodes of the allocations as ranges: two values a range, the first and the last node. */
const rangeKinds = { node: Int32Array }

/** Plain data of `Allocations`. */
export interface StoredAllocations {
  readonly rows: ColumnArrays<typeof kinds>
  readonly ranges: ColumnArrays<typeof rangeKinds>
}

const RUNNING = 1

/** All allocations of a run, with their nodes. */
export class Allocations {
  readonly #rows: Columns<typeof kinds>
  readonly #ranges: Columns<typeof rangeKinds>
  /** Row of the last allocation of each job. */
  readonly #last = new Map<number, number>()
  #firstOpen = 0

  constructor(stored?: StoredAllocations) {
    this.#rows = new Columns(kinds, stored?.rows)
    this.#ranges = new Columns(rangeKinds, stored?.ranges)
    for (let row = 0; row < this.length; row++)
      if (Number.isNaN(this.of.released[row])) this.#last.set(this.of.job[row], row)
  }

  /** Plain data of the allocations, without copies: later records may change the arrays. */
  get stored(): StoredAllocations {
    return { rows: this.#rows.stored, ranges: this.#ranges.stored }
  }

  get length(): number {
    return this.#rows.length
  }

  /** The arrays of the columns. An array may be longer than `length`, and adding a row may replace the arrays. */
  get of(): ColumnArrays<typeof kinds> {
    return this.#rows.of
  }

  /** First row whose job holds its nodes; the number of rows if there is none. */
  get firstOpen(): number {
    while (this.#firstOpen < this.length && !Number.isNaN(this.of.released[this.#firstOpen])) this.#firstOpen++
    return this.#firstOpen
  }

  /** Returns the nodes of the rows from `row` to before `to` as ranges: the first and the last node of each range. */
  rangesOf(row: number, to: number = row + 1): Int32Array<ArrayBuffer> {
    return this.#ranges.of.node.subarray(this.rangesFrom(row), this.rangesFrom(to))
  }

  /** Returns the number of values in the ranges of all rows before `row`. */
  rangesFrom(row: number): number {
    return row < this.length ? this.of.rangesFrom[row] : this.#ranges.length
  }

  /** Adds the allocation of a start at `t`, in ms. */
  start(job: number, nodes: Int32Array, isBackfilled: boolean, t: number): void {
    const row = this.#rows.add()
    const { of } = this
    this.#last.set(job, row)
    of.job[row] = job
    of.start[row] = t
    of.released[row] = Number.NaN
    of.outcome[row] = RUNNING
    of.backfilled[row] = isBackfilled ? 1 : 0
    of.rangesFrom[row] = this.#ranges.length
    for (let at = 0; at < nodes.length;) {
      const first = nodes[at]
      for (at++; at < nodes.length && nodes[at] === nodes[at - 1] + 1;) at++
      this.#addNode(first)
      this.#addNode(nodes[at - 1])
    }
  }

  /** Sets the outcome of the job's present run. @param state index in `jobStates` */
  end(job: number, state: number): void {
    const row = this.#last.get(job)
    if (row !== undefined) this.of.outcome[row] = state
  }

  /** Notes the release of the job's present allocation at `t`, in ms. */
  release(job: number, t: number): void {
    const row = this.#last.get(job)
    if (row === undefined) return
    this.of.released[row] = t
    this.#last.delete(job)
  }

  #addNode(node: number): void {
    const at = this.#ranges.add()
    this.#ranges.of.node[at] = node
  }
}
