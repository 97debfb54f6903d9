import type { Routes } from '@cloister/placement'
import { followOn } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { DirectedLinks } from './directed-links.ts'

/** Paths of several flows. Flow `f` uses the links `links[first[f]]` to `links[first[f + 1] - 1]`. */
export interface FlowPaths {
  readonly flows: number
  /** Index in `links` of the first link of each flow; length `flows + 1`. */
  readonly first: Int32Array
  readonly links: Int32Array
}

/** Calls `visit` with each link of a flow between two nodes. A flow from a node to itself has no links. */
export type FlowPath = (from: number, to: number, visit: (link: number) => void) => void

/**
 * Returns the paths of flows under forwarding tables, as a function that throws a RoutingError if the routes do not
 * lead to the target.
 */
export function routedPaths(topology: Topology, links: DirectedLinks, routes: Routes): FlowPath {
  const follow = followOn(topology)
  return (from, to, visit) => {
    if (from === to) return
    visit(links.ofNode(from, 'up'))
    follow(routes, from, to, (level, link, up) => visit(links.ofLevel(level, link, up ? 'up' : 'down')))
    visit(links.ofNode(to, 'down'))
  }
}

/** Collects flows one at a time into `FlowPaths`. */
export class FlowPathsBuilder {
  readonly #first: Array<number> = [0]
  readonly #links: Array<number> = []

  /** Number of added flows, and index of the next flow. */
  get flows(): number {
    return this.#first.length - 1
  }

  /** Adds a flow, unless `path` throws an error. */
  add(path: FlowPath, from: number, to: number): void {
    const before = this.#links.length
    try {
      path(from, to, (link) => this.#links.push(link))
    } catch (cause) {
      this.#links.length = before
      throw cause
    }
    this.#first.push(this.#links.length)
  }

  build(): FlowPaths {
    return { flows: this.flows, first: Int32Array.from(this.#first), links: Int32Array.from(this.#links) }
  }
}
