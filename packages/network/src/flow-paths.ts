import type { Routes } from '@cloister/placement'
import { type Follow, followOn } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { DirectedLinks } from './directed-links.ts'

/**
 * The links that each of several flows goes over. The links of flow `f` are `links[first[f]]` to `links[first[f + 1] - 1]`,
 * and a flow of rate x puts `share * x` on each of them: all of it where it has one way, a part where it is spread.
 */
export interface FlowPaths {
  readonly flows: number
  /** Length `flows + 1`. */
  readonly first: Int32Array
  readonly links: Int32Array
  /** Above 0. */
  readonly share: Float64Array
}

/** Collects flows, one after the other. */
export class FlowPathsBuilder {
  readonly #links: DirectedLinks
  readonly #follow: Follow
  readonly #first: Array<number> = [0]
  readonly #link: Array<number> = []
  readonly #share: Array<number> = []

  constructor(topology: Topology, links: DirectedLinks) {
    this.#links = links
    this.#follow = followOn(topology)
  }

  /** How many were added; the number of the next. */
  get flows(): number {
    return this.#first.length - 1
  }

  /**
   * Adds a flow from one node to another, over the links that the routes lead it. A node sends itself nothing over the
   * network: such a flow has no link.
   *
   * @throws RoutingError where the routes do not lead there
   */
  addRouted(routes: Routes, from: number, to: number): void {
    if (from !== to) {
      this.#push(this.#links.ofNode(from, 'up'), 1)
      this.#follow(routes, from, to, (level, link, up) =>
        this.#push(this.#links.ofLevel(level, link, up ? 'up' : 'down'), 1),
      )
      this.#push(this.#links.ofNode(to, 'down'), 1)
    }
    this.#first.push(this.#link.length)
  }

  /** Adds a flow over the links that `visit` is called with, each with the share of the flow that it carries, above 0. */
  add(path: (visit: (link: number, share: number) => void) => void): void {
    path((link, share) => this.#push(link, share))
    this.#first.push(this.#link.length)
  }

  build(): FlowPaths {
    return {
      flows: this.flows,
      first: Int32Array.from(this.#first),
      links: Int32Array.from(this.#link),
      share: Float64Array.from(this.#share),
    }
  }

  #push(link: number, share: number): void {
    this.#link.push(link)
    this.#share.push(share)
  }
}
