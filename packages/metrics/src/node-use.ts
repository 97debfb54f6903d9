/** Uses of nodes: `sizes[i]` nodes from `starts[i]` for `lengths[i]`, in seconds. A use with a NaN counts for nothing. */
export interface NodeUses {
  readonly sizes: ArrayLike<number>
  readonly starts: ArrayLike<number>
  readonly lengths: ArrayLike<number>
}

const DAY = 86_400

/** Returns the node-seconds of each day, from the day that begins at time 0 on. */
export function nodeTimeByDay({ sizes, starts, lengths }: NodeUses): ReadonlyArray<number> {
  const days: Array<number> = []
  for (let at = 0; at < sizes.length; at++) {
    const end = starts[at] + lengths[at]
    for (let from = Math.max(0, starts[at]); from < end;) {
      const day = Math.floor(from / DAY)
      const to = Math.min(end, (day + 1) * DAY)
      while (days.length <= day) days.push(0)
      days[day] += sizes[at] * (to - from)
      from = to
    }
  }
  return days
}

/** Nodes in use over time. */
export class NodesInUse {
  /** Greatest number of nodes in use at a time. */
  readonly most: number
  /** Times of changes, ascending. */
  readonly #times: Float64Array
  /** `#most[k][i]`: most nodes in use in the 2^k steps from step i on; step i begins at `#times[i]`. */
  readonly #most: Array<Float64Array>

  constructor({ sizes, starts, lengths }: NodeUses) {
    const changes: Array<readonly [time: number, nodes: number]> = []
    for (let at = 0; at < sizes.length; at++)
      if (lengths[at] > 0) changes.push([starts[at], sizes[at]], [starts[at] + lengths[at], -sizes[at]])
    changes.sort(([a], [b]) => a - b)
    const times: Array<number> = []
    const used: Array<number> = []
    let now = 0
    for (const [time, nodes] of changes) {
      now += nodes
      if (times.at(-1) === time) used[used.length - 1] = now
      else {
        times.push(time)
        used.push(now)
      }
    }
    this.#times = Float64Array.from(times)
    this.#most = [Float64Array.from(used)]
    for (let width = 1; 2 * width <= used.length; width *= 2) {
      const last = this.#most.at(-1)!
      this.#most.push(last.subarray(0, used.length - 2 * width + 1).map((most, at) => Math.max(most, last[at + width])))
    }
    this.most = used.reduce((most, each) => Math.max(most, each), 0)
  }

  /** Returns the greatest number of nodes in use at a time of an interval without its end. */
  mostIn(from: number, to: number): number {
    const first = Math.max(0, this.#stepsUntil(from, true) - 1)
    const count = this.#stepsUntil(to, false) - first
    if (count <= 0) return 0
    const level = 31 - Math.clz32(count)
    const row = this.#most[level]
    return Math.max(row[first], row[first + count - (1 << level)])
  }

  /** Returns the number of steps that begin before a time, or at the time if `at` is true. */
  #stepsUntil(time: number, at: boolean): number {
    let low = 0
    let high = this.#times.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#times[middle] < time || (at && this.#times[middle] === time)) low = middle + 1
      else high = middle
    }
    return low
  }
}
