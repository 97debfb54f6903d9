import type { Topology } from '@cloister/topology'

/** What a link carries in each direction, in whatever unit rates are to have. */
export interface Capacities {
  /** Between a node and its leaf. */
  readonly node: number
  /** Of one link from each level of switches to the one above, leaves first. The last one given serves for all above. */
  readonly levels: ReadonlyArray<number>
}

/**
 * The links of a machine, each direction by itself, as dense integers: nodes up, nodes down, then for each level of
 * switches its links up and its links down.
 */
export class DirectedLinks {
  readonly count: number
  /** By link. */
  readonly capacity: Float64Array
  readonly #nodes: number
  /** First link up of each level; the links down follow. */
  readonly #first: ReadonlyArray<number>
  readonly #links: ReadonlyArray<number>

  /** @throws RangeError where a capacity is no positive number */
  constructor({ nodes, levels }: Topology, capacities: Capacities) {
    const first = [2 * nodes]
    for (const { links } of levels) first.push(first[first.length - 1] + 2 * links)
    this.count = first[levels.length]
    this.#nodes = nodes
    this.#first = first
    this.#links = levels.map(({ links }) => links)
    this.capacity = new Float64Array(this.count).fill(checked(capacities.node, 'node'), 0, 2 * nodes)
    levels.forEach((_, level) => {
      const at = Math.min(level, capacities.levels.length - 1)
      if (first[level] < first[level + 1])
        this.capacity.fill(checked(capacities.levels[at], `levels[${at}]`), first[level], first[level + 1])
    })
  }

  ofNode(node: number, direction: 'up' | 'down'): number {
    return direction === 'up' ? node : this.#nodes + node
  }

  /** @param link the link's id within its level */
  ofLevel(level: number, link: number, direction: 'up' | 'down'): number {
    return this.#first[level] + (direction === 'up' ? link : this.#links[level] + link)
  }
}

function checked(capacity: number | undefined, field: string): number {
  if (capacity !== undefined && capacity > 0 && capacity < Infinity) return capacity
  throw new RangeError(`capacities.${field}: found ${capacity}, expected a positive number`)
}
