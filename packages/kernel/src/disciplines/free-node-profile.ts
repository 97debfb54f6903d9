import type { ClusterState } from '@cloister/placement'
import { lowerBound } from '@cloister/topology'

/**
 * Expected number of free nodes over time, in steps, to rule out start times without a question to the policy. Times
 * are integer milliseconds. After an overrun, reservations may need more nodes than exist, and a number of free nodes
 * may be below 0.
 */
export class FreeNodeProfile {
  readonly #times: Array<number>
  readonly #free: Array<number>
  /** Number of running jobs and reservations that end at the begin of each step. */
  readonly #ends: Array<number> = [0]

  /** Makes the profile in which each running job holds its nodes up to its estimated end. */
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

  /** Subtracts `nodes` free nodes from `start` up to, not including, `end`. Neither time is in the past. */
  hold(nodes: number, start: number, end: number): void {
    this.#add(-nodes, start, end)
    this.#ends[this.#stepAt(end)]++
  }

  /** Undoes a call of `hold` with the same arguments. */
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

  isEnd(time: number): boolean {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    return this.#times[at] === time && this.#ends[at] > 0
  }

  /** Returns the next time after `time` at which the number of free nodes may change; Infinity if there is none. */
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

  #stepAt(time: number): number {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    if (this.#times[at] === time) return at
    this.#times.splice(at, 0, time)
    this.#free.splice(at, 0, this.#free[at - 1])
    this.#ends.splice(at, 0, 0)
    return at
  }
}
