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
  const sharing = new MaxMinSharing(paths, capacity, weights)
  for (let flow = 0; flow < paths.flows; flow++) sharing.add(flow)
  sharing.share()
  return sharing.rates
}

/** Flows that begin and end: their rates are found again and again, without allocating. */
export class MaxMinSharing {
  /** Of each flow, as it was when it last had a part in sharing; Infinity for one that has no link. */
  readonly rates: Float64Array
  readonly #first: Int32Array
  readonly #links: Int32Array
  readonly #capacity: Float64Array
  readonly #weights: Float64Array
  /** Whose flow each of `links` is. */
  readonly #flowAt: Int32Array
  /** Of each link, the places in `links` of its flows that have a part: `count` of them from `firstOf` on. */
  readonly #placesOf: Int32Array
  readonly #firstOf: Int32Array
  readonly #count: Int32Array
  /** Where each place stands in `placesOf`. */
  readonly #standsAt: Int32Array
  /** The sum of the weights of each link's flows that have a part. */
  readonly #weight: Float64Array
  /** Links that some flow goes over, ascending. */
  readonly #used: Int32Array
  // In one sharing: flows whose rate stands, what of each link they leave, and by how much the load of a link grows with
  // the common level. How many flows grow is counted too: `growth` is a difference of sums, which rounding keeps from 0.
  readonly #round: Int32Array
  readonly #rest: Float64Array
  readonly #growth: Float64Array
  readonly #growing: Int32Array
  readonly #full = new KeyedHeap()
  #rounds = 0

  /** The parameters are those of `maxMinRates`. No flow has a part yet. */
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

  /** Gives a flow a part, which it must not have. */
  add(flow: number): void {
    for (let place = this.#first[flow]; place < this.#first[flow + 1]; place++) {
      const link = this.#links[place]
      this.#standsAt[place] = this.#firstOf[link] + this.#count[link]++
      this.#placesOf[this.#standsAt[place]] = place
      this.#weight[link] += this.#weights[flow]
    }
  }

  /** Takes the part of a flow that has one. */
  remove(flow: number): void {
    for (let place = this.#first[flow]; place < this.#first[flow + 1]; place++) {
      const link = this.#links[place]
      const last = this.#placesOf[this.#firstOf[link] + --this.#count[link]]
      this.#standsAt[last] = this.#standsAt[place]
      this.#placesOf[this.#standsAt[last]] = last
      // Where nobody is left, nothing that rounding left is either.
      this.#weight[link] = this.#count[link] === 0 ? 0 : this.#weight[link] - this.#weights[flow]
    }
  }

  /** Finds the rates of all flows that have a part. */
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
      // Flows that were fixed since leave more to the others: a link fills later than was thought, never sooner.
      const level = this.#levelOf(link)
      if (level > key && level > full.firstKey) full.push(level, link)
      else this.#fix(link, level)
    }
  }

  /** The common level at which a link is full. */
  #levelOf(link: number): number {
    return Math.max(0, this.#rest[link]) / this.#growth[link]
  }

  /** All flows that still grow on a full link keep their rates. */
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
