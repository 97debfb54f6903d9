import type { Placement } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** More are not worth the comparisons. */
const CAPACITY = 64

/**
 * Placements beside which a monotone policy cannot place the head at its shadow time. Whatever takes at least as much blocks it too,
 * as long as no more is expected to be free then.
 */
export class BlockingPlacements {
  readonly #known: Array<Placement> = []
  /** For each node, then for the links of each level: the number of the last question in which it was part of the placement. */
  readonly #askedIn: ReadonlyArray<Int32Array>
  #question = 0

  constructor({ nodes, levels }: Topology) {
    this.#askedIn = [nodes, ...levels.map(({ links }) => links)].map((parts) => new Int32Array(parts))
  }

  /** Whether a placement takes all that a known one takes. */
  includes(placement: Placement): boolean {
    const known = this.#known
    if (known.length === 0) return false
    this.#question++
    const { nodes, links } = placement
    this.#mark(nodes, 0)
    for (let level = 0; level < links.length; level++) this.#mark(links[level], level + 1)
    for (let i = 0; i < known.length; i++) if (this.#isWithin(known[i], placement)) return true
    return false
  }

  add(placement: Placement): void {
    if (this.#known.length === CAPACITY) this.#known.shift()
    this.#known.push(placement)
  }

  forget(): void {
    this.#known.length = 0
  }

  #mark(ids: ArrayLike<number>, kind: number): void {
    const askedIn = this.#askedIn[kind]
    if (askedIn === undefined) return
    for (let i = 0; i < ids.length; i++) askedIn[ids[i]] = this.#question
  }

  #isWithin(known: Placement, { nodes, bandwidth = 0 }: Placement): boolean {
    if (known.nodes.length > nodes.length || (known.bandwidth ?? 0) > bandwidth) return false
    if (!this.#areMarked(known.nodes, 0)) return false
    for (let level = 0; level < known.links.length; level++)
      if (!this.#areMarked(known.links[level], level + 1)) return false
    return true
  }

  #areMarked(ids: ArrayLike<number>, kind: number): boolean {
    const askedIn = this.#askedIn[kind]
    for (let i = 0; i < ids.length; i++) if (askedIn[ids[i]] !== this.#question) return false
    return true
  }
}
