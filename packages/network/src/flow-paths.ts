import type { Routes } from '@cloister/placement'
import { followOn } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { DirectedLinks } from './directed-links.ts'

/** The links that each of several flows goes over: those of flow `f` are `links[first[f]]` to `links[first[f + 1] - 1]`. */
export interface FlowPaths {
  readonly flows: number
  /** Length `flows + 1`. */
  readonly first: Int32Array
  readonly links: Int32Array
}

/** Visits the links of a flow from one node to another; none where a node sends to itself. */
export type FlowPath = (from: number, to: number, visit: (link: number) => void) => void

/**
 * The ways that forwarding tables lead flows.
 *
 * @throws RoutingError from what is returned, where the routes do not lead there
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

/** Collects flows, one after the other. */
export class FlowPathsBuilder {
  readonly #first: Array<number> = [0]
  readonly #links: Array<number> = []

  /** How many were added; the number of the next. */
  get flows(): number {
    return this.#first.length - 1
  }

  /** Adds nothing where the path ends with an error. */
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
