import type { ClusterState } from '@cloister/placement'
import { lowerBound } from '@cloister/topology'

/**
 * How many nodes are expected to be free over time, step by step: what any policy needs at the least. Times are integer milliseconds.
 * Where a job outruns its estimate more can be promised than there is; the numbers may then fall below 0 for a while.
 */
export class FreeNodeProfile {
  /** When each step begins, ascending, from now on. */
  readonly #times: Array<number>
  readonly #free: Array<number>
  /** How many jobs and reservations end as the step begins. */
  readonly #ends: Array<number> = [0]

  /** With all that runs up to its estimated end. */
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

  /** Nodes are held from `start` up to, not including, `end`; neither is past. */
  hold(nodes: number, start: number, end: number): void {
    this.#add(-nodes, start, end)
    this.#ends[this.#stepAt(end)]++
  }

  /** What was held is not. */
  release(nodes: number, start: number, end: number): void {
    this.#add(nodes, start, end)
    this.#ends[this.#stepAt(end)]--
  }

  /** The first time from `from` on at which that many nodes are free for a while; Infinity for none. */
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

  /** Whether a job or a reservation is expected to end at a time. */
  isEnd(time: number): boolean {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    return this.#times[at] === time && this.#ends[at] > 0
  }

  /** When the step begins that follows the one at a time; Infinity for none. */
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

  /** The step that begins at a time; the one before is cut where there is none. */
  #stepAt(time: number): number {
    const at = lowerBound(this.#times.length, (step) => this.#times[step] < time)
    if (this.#times[at] === time) return at
    this.#times.splice(at, 0, time)
    this.#free.splice(at, 0, this.#free[at - 1])
    this.#ends.splice(at, 0, 0)
    return at
  }
}
