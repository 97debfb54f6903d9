import { KeyedHeap } from '@cloister/topology'
import type { FlowPaths } from './flow-paths.ts'

/**
 * Returns the max-min fair rates of flows that share links (Bertsekas and Gallager, "Data Networks", section 6.5.2). No
 * flow can get a higher rate unless a flow with an equal or lower rate per weight gets less. Progressive filling: all
 * rates grow together until a link is full, and the flows of the full link then keep their rates.
 *
 * The computation uses only +, -, × and ÷ on doubles in a fixed order, so the same input gives the same bits on every
 * machine.
 *
 * @param capacity capacity of each link, as in `DirectedLinks`
 * @param weights weight of each flow, above 0; flows that a full link limits have rates in the ratio of their weights.
 *   Default: equal weights
 * @returns the rate of each flow in the unit of the capacities; Infinity for a flow without links
 */
export function maxMinRates(paths: FlowPaths, capacity: Float64Array, weights?: Float64Array): Float64Array {
  const sharing = new MaxMinSharing(paths, capacity, weights)
  for (let flow = 0; flow < paths.flows; flow++) sharing.add(flow)
  sharing.share()
  return sharing.rates
}

/** Max-min fair rates of flows that begin and end. `share` computes the rates again without new memory. */
export class MaxMinSharing {
  /** Rate of each flow by the last call of `share` with the flow active; Infinity for a flow without links. */
  readonly rates: Float64Array
  readonly #first: Int32Array
  readonly #links: Int32Array
  readonly #capacity: Float64Array
  readonly #weights: Float64Array
  readonly #flowAt: Int32Array
  /** Indices in `#links` of the active flows of each link: `#count[link]` indices from `#firstOf[link]` on. */
  readonly #placesOf: Int32Array
  readonly #firstOf: Int32Array
  readonly #count: Int32Array
  /** Index in `#placesOf` of each index of `#links`. */
  readonly #standsAt: Int32Array
  readonly #weight: Float64Array
  /** Links with at least one flow, active or not, ascending. */
  readonly #used: Int32Array
  // State of one call of `share`: flows with a final rate (`#round`), free capacity of each link (`#rest`), growth of
  // its load with the common level (`#growth`), and number of its growing flows (`#growing`), because rounding errors
  // may keep `#growth` above 0.
  readonly #round: Int32Array
  readonly #rest: Float64Array
  readonly #growth: Float64Array
  readonly #growing: Int32Array
  readonly #full = new KeyedHeap()
  #rounds = 0

  /** Makes a computation in which all flows are inactive until `add`. */
  constructor({ flows, first, links }: FlowPaths, capacity: Float64Array, weights?: Float64Array) {
    this.#first = first
    this.#links = links
    this.#capacity = capacity
    this.#weights = weights ?? new Float64Array(flows).fill(1)
    this.rates = new Float64Array(flows).fill(Infinity)
    this.#flowAt = new Int32Array(links.length)
    for (let flow = 0; flow < flows; flow++) this.#flowAt.fill(flow, first[flow], first[flow + 1])
    this.#placesOf = new Int32Array(links.length)
    this.#standsAt = new Int32Array(links.length)
    this.#firstOf = new Int32Array(capacity.length + 1)
    for (const link of links) this.#firstOf[link + 1]++
    for (let link = 0; link < capacity.length; link++) this.#firstOf[link + 1] += this.#firstOf[link]
    this.#used = Int32Array.from(capacity.keys()).filter((link) => this.#firstOf[link] < this.#firstOf[link + 1])
    this.#count = new Int32Array(capacity.length)
    this.#weight = new Float64Array(capacity.length)
    this.#round = new Int32Array(flows)
    this.#rest = new Float64Array(capacity.length)
    this.#growth = new Float64Array(capacity.length)
    this.#growing = new Int32Array(capacity.length)
  }

  add(flow: number): void {
    for (let place = this.#first[flow]; place < this.#first[flow + 1]; place++) {
      const link = this.#links[place]
      this.#standsAt[place] = this.#firstOf[link] + this.#count[link]++
      this.#placesOf[this.#standsAt[place]] = place
      this.#weight[link] += this.#weights[flow]
    }
  }

  remove(flow: number): void {
    for (let place = this.#first[flow]; place < this.#first[flow + 1]; place++) {
      const link = this.#links[place]
      const last = this.#placesOf[this.#firstOf[link] + --this.#count[link]]
      this.#standsAt[last] = this.#standsAt[place]
      this.#placesOf[this.#standsAt[last]] = last
      // Rounding errors must not leave a weight on a link without active flows.
      this.#weight[link] = this.#count[link] === 0 ? 0 : this.#weight[link] - this.#weights[flow]
    }
  }

  share(): void {
    this.#rounds++
    this.#rest.set(this.#capacity)
    this.#growth.set(this.#weight)
    this.#growing.set(this.#count)
    const full = this.#full
    for (const link of this.#used) if (this.#growing[link] > 0) full.append(this.#levelOf(link), link)
    full.order()
    for (let link = full.first; link >= 0; link = full.first) {
      const key = full.firstKey
      full.pop()
      if (this.#growing[link] === 0) continue
      // Flows that got final rates since `key` was computed leave more capacity for growing flows, so a link fills
      // later than `key`, never earlier.
      const level = this.#levelOf(link)
      if (level > key && level > full.firstKey) full.push(level, link)
      else this.#fix(link, level)
    }
  }

  /** Returns the common rate per weight of the growing flows at which a link is full. */
  #levelOf(link: number): number {
    return Math.max(0, this.#rest[link]) / this.#growth[link]
  }

  #fix(link: number, level: number): void {
    const end = this.#firstOf[link] + this.#count[link]
    for (let at = this.#firstOf[link]; at < end; at++) {
      const flow = this.#flowAt[this.#placesOf[at]]
      if (this.#round[flow] === this.#rounds) continue
      this.#round[flow] = this.#rounds
      this.rates[flow] = level * this.#weights[flow]
      this.#takeFromLinks(flow)
    }
  }

  #takeFromLinks(flow: number): void {
    const rate = this.rates[flow]
    const weight = this.#weights[flow]
    for (let place = this.#first[flow]; place < this.#first[flow + 1]; place++) {
      const link = this.#links[place]
      this.#rest[link] -= rate
      this.#growth[link] -= weight
      this.#growing[link]--
    }
  }
}
