import type { Topology } from '@cloister/topology'

/** Capacities of links in each direction, in any unit. The computed rates have the same unit. */
export interface Capacities {
  /** Capacity of the link between a node and its leaf. */
  readonly node: number
  /**
   * Capacity of one link from each level of switches to the next, leaves first. The last capacity holds for all higher
   * levels.
   */
  readonly levels: ReadonlyArray<number>
}

/**
 * Links of a machine as dense integers, each direction as a link: nodes up, nodes down, then the links up and the links
 * down of each level of switches.
 */
export class DirectedLinks {
  readonly count: number
  readonly capacity: Float64Array
  readonly #nodes: number
  /** First upward link of each level; the level's downward links follow. */
  readonly #first: ReadonlyArray<number>
  readonly #links: ReadonlyArray<number>

  /** @throws RangeError if a capacity is not a positive number */
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

  /** @param link id of the link within its level */
  ofLevel(level: number, link: number, direction: 'up' | 'down'): number {
    return this.#first[level] + (direction === 'up' ? link : this.#links[level] + link)
  }
}

/** @throws RangeError if the capacity is not a finite positive number */
export function checked(capacity: number | undefined, field: string): number {
  if (capacity !== undefined && capacity > 0 && capacity < Infinity) return capacity
  throw new RangeError(`capacities.${field}: found ${capacity}, expected a positive number`)
}
