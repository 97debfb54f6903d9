import type { Capacity } from './capacity.ts'

/**
 * Returns the set of `size` domains with capacity for at least `nodes` nodes and the smallest surplus of nodes;
 * undefined if there is no such set. The first set found wins if surpluses are equal. Fewer than `size` domains must
 * not suffice.
 */
export function smallestSet(
  capacity: Capacity,
  level: number,
  order: ReadonlyArray<number>,
  nodes: number,
  size: number,
): ReadonlyArray<number> | undefined {
  const some = order.filter((domain) => capacity.slices[level][domain] > 0)
  const capacityOf = capacity.nodes[level]
  // If all domains have equal capacity, all sets have equal surplus, so the first set wins.
  if (some.every((domain) => capacityOf[domain] === capacityOf[some[0]]))
    return some.length < size ? undefined : some.slice(0, size)
  const sets = new SetsBySize(size, nodes)
  for (const domain of some) sets.add(domain, capacityOf[domain])
  return sets.best((domain) => capacityOf[domain])
}

const NONE = -1

class SetsBySize {
  readonly #size: number
  readonly #nodes: number
  /** Last domain of the first found set, by the set's number of domains and number of lacking nodes; -1 for no set. */
  readonly #last: Int32Array
  #bestLeft = -Infinity
  #bestLast = NONE

  constructor(size: number, nodes: number) {
    this.#size = size
    this.#nodes = nodes
    this.#last = new Int32Array(size * (nodes + 1)).fill(NONE)
  }

  add(domain: number, capacity: number): void {
    for (let count = this.#size; count > 0; count--) {
      const from = (count - 1) * (this.#nodes + 1)
      for (let left = 1; left <= this.#nodes; left++) {
        if (!this.#isReached(count - 1, left, from)) continue
        const after = left - capacity
        if (count === this.#size) this.#offer(domain, after)
        else if (after > 0 && this.#last[from + this.#nodes + 1 + after] === NONE)
          this.#last[from + this.#nodes + 1 + after] = domain
      }
    }
  }

  #isReached(count: number, left: number, from: number): boolean {
    return count === 0 ? left === this.#nodes : this.#last[from + left] !== NONE
  }

  #offer(domain: number, left: number): void {
    if (left > 0 || left <= this.#bestLeft) return
    this.#bestLeft = left
    this.#bestLast = domain
  }

  best(capacityOf: (domain: number) => number): ReadonlyArray<number> | undefined {
    if (this.#bestLast === NONE) return undefined
    const chosen: Array<number> = []
    let left = this.#bestLeft
    let domain = this.#bestLast
    for (let count = this.#size; count > 0; count--) {
      chosen.push(domain)
      left += capacityOf(domain)
      domain = this.#last[(count - 1) * (this.#nodes + 1) + left]
    }
    return chosen
  }
}
