import { KeyedHeap } from '@cloister/topology'
import type { FlowPaths } from './flow-paths.ts'

/**
 * The max-min fair rates of flows that share links (Bertsekas and Gallager, "Data Networks", section 6.5.2): no flow can
 * have more without one that has less per weight having less still. Found by progressive filling: all rates grow
 * together until a link is full, whose flows then keep what they have.
 *
 * Only +, -, × and ÷ on doubles in a fixed order: the same input gives the same bits on every machine.
 *
 * @param capacity of each link, as for `DirectedLinks`
 * @param weights of each flow, above 0: on a full link flows have rates in their ratio. Default: all alike
 * @returns the rate of each flow, in the unit of the capacities; Infinity for a flow that has no link
 */
export function maxMinRates(paths: FlowPaths, capacity: Float64Array, weights?: Float64Array): Float64Array {
  return new Filling(paths, capacity, weights).run()
}

class Filling {
  readonly #paths: FlowPaths
  readonly #weights: Float64Array | undefined
  readonly #rates: Float64Array
  readonly #isFixed: Uint8Array
  /** What of each link the fixed flows leave. */
  readonly #rest: Float64Array
  /** By how much the load of a link grows with the common level: the sum over its growing flows of share × weight. */
  readonly #growth: Float64Array
  /** How many flows grow on each link: `growth` is a difference of sums, which rounding keeps from 0. */
  readonly #growing: Int32Array
  readonly #firstFlow: Int32Array
  readonly #flowOfLink: Int32Array
  readonly #full = new KeyedHeap()

  constructor(paths: FlowPaths, capacity: Float64Array, weights: Float64Array | undefined) {
    this.#paths = paths
    this.#weights = weights
    this.#rates = new Float64Array(paths.flows).fill(Infinity)
    this.#isFixed = new Uint8Array(paths.flows)
    this.#rest = capacity.slice()
    this.#growth = new Float64Array(capacity.length)
    this.#growing = new Int32Array(capacity.length)
    this.#firstFlow = new Int32Array(capacity.length + 1)
    this.#flowOfLink = new Int32Array(paths.links.length)
    this.#countFlows()
  }

  run(): Float64Array {
    for (let link = 0; link < this.#growing.length; link++)
      if (this.#growing[link] > 0) this.#full.append(this.#levelOf(link), link)
    this.#full.order()
    let level = 0
    for (let link = this.#full.first; link >= 0; link = this.#full.first) {
      const key = this.#full.firstKey
      this.#full.pop()
      if (this.#growing[link] === 0) continue
      // Flows that were fixed since leave more to the others: a link fills later than was thought, never sooner.
      const now = this.#levelOf(link)
      if (now > key) this.#full.push(now, link)
      else {
        // But for rounding, levels ascend.
        level = Math.max(level, now)
        this.#fix(link, level)
      }
    }
    return this.#rates
  }

  #countFlows(): void {
    const { flows, first, links, share } = this.#paths
    for (let flow = 0; flow < flows; flow++) {
      for (let at = first[flow]; at < first[flow + 1]; at++) {
        this.#growth[links[at]] += share[at] * this.#weight(flow)
        this.#growing[links[at]]++
      }
    }
    for (let link = 0; link < this.#growing.length; link++)
      this.#firstFlow[link + 1] = this.#firstFlow[link] + this.#growing[link]
    const next = this.#firstFlow.slice()
    for (let flow = 0; flow < flows; flow++)
      for (let at = first[flow]; at < first[flow + 1]; at++) this.#flowOfLink[next[links[at]]++] = flow
  }

  #weight(flow: number): number {
    return this.#weights === undefined ? 1 : this.#weights[flow]
  }

  /** The common level at which a link is full. */
  #levelOf(link: number): number {
    return Math.max(0, this.#rest[link]) / this.#growth[link]
  }

  /** All flows that still grow on a full link keep their rates. */
  #fix(link: number, level: number): void {
    for (let at = this.#firstFlow[link]; at < this.#firstFlow[link + 1]; at++) {
      const flow = this.#flowOfLink[at]
      if (this.#isFixed[flow] === 1) continue
      this.#isFixed[flow] = 1
      this.#rates[flow] = level * this.#weight(flow)
      this.#takeFromLinks(flow)
    }
  }

  #takeFromLinks(flow: number): void {
    const { first, links, share } = this.#paths
    for (let at = first[flow]; at < first[flow + 1]; at++) {
      const link = links[at]
      this.#rest[link] -= share[at] * this.#rates[flow]
      this.#growth[link] -= share[at] * this.#weight(flow)
      this.#growing[link]--
    }
  }
}
