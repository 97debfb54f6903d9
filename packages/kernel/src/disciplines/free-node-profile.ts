import type { ClusterState } from '@cloister/placement'
import { lowerBound } from '@cloister/topology'

/**
 * Expected number of free nodes over time, as steps: a lower bound for the needs of every policy. Times are integer
 * milliseconds. After an overrun, reservations may exceed the nodes, and the numbers may fall below 0.
 */
export class FreeNodeProfile {
  /** Begin of each step, integer milliseconds, ascending from now on. */
  readonly #times: Array<number>
  readonly #free: Array<number>
  /** Number of jobs and reservations that end at the begin of the step. */
  readonly #ends: Array<number> = [0]

  /** Makes the profile of the running jobs up to their estimated ends. */
  constructor(now: number, { freeNodes, running }: Pick<ClusterState, 'freeNodes' | 'running'>) {
    this.#times = [now]
    this.#free = [freeNodes]
    let free = freeNodes
    for (const { nodes, estimatedEnd } of running) {
      const at = this.#stepAt(Math.max(estimatedEnd, now))
      free += nodes.length
      this.#free[at] = free
      this.#ends[at]++
    }
  }

  /** Subtracts nodes in the time from `start` to `end`, exclusive. Neither time is in the past. */
  hold(nodes: number, start: number, end: number): void {
    this.#add(-nodes, start, end)
    this.#ends[this.#stepAt(end)]++
  }

  /** Adds the nodes that a call of `hold` subtracted. */
  release(nodes: number, start: number, end: number): void {
    this.#add(nodes, start, end)
    this.#ends[this.#stepAt(end)]--
  }

  /**
   * Returns the first time, at or after `from`, from which `nodes` nodes stay free for `span` milliseconds; Infinity if
   * there is no such time.
   */
  firstFit(nodes: number, span: number, from: number): number {
    const times = this.#times
    const free = this.#free
    for (let step = this.#lastStepBy(from); step < times.length; step++) {
      if (free[step] < nodes) continue
      const start = Math.max(from, times[step])
      while (step + 1 < times.length && times[step + 1] < start + span && free[step + 1] >= nodes) step++
      if (step + 1 === times.length || times[step + 1] >= start + span) return start
    }
    return Infinity
  }

  /** Tests whether a job or a reservation is expected to end at a time. */
  isEnd(time: number): boolean {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    return this.#times[at] === time && this.#ends[at] > 0
  }

  /** Returns the begin of the step after the step at a time; Infinity if no step follows. */
  after(time: number): number {
    return this.#times[this.#lastStepBy(time) + 1] ?? Infinity
  }

  #add(nodes: number, start: number, end: number): void {
    const first = this.#stepAt(start)
    const last = this.#stepAt(end)
    for (let step = first; step < last; step++) this.#free[step] += nodes
  }

  #lastStepBy(time: number): number {
    return Math.max(0, lowerBound(this.#times.length, (step) => this.#times[step] <= time) - 1)
  }

  /** Returns the step that begins at a time. Splits the earlier step if no step begins then. */
  #stepAt(time: number): number {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    if (this.#times[at] === time) return at
    this.#times.splice(at, 0, time)
    this.#free.splice(at, 0, this.#free[at - 1])
    this.#ends.splice(at, 0, 0)
    return at
  }
}
