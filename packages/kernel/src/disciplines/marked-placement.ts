import type { Placement } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** One placement, kept so that others can be compared with it id by id. */
export class MarkedPlacement {
  /** For each node, then for the links of each level: the number of the last placement that was marked with it. */
  readonly #markedAs: ReadonlyArray<Int32Array>
  #mark = 0
  placement: Placement | undefined

  constructor({ nodes, levels }: Topology) {
    this.#markedAs = [nodes, ...levels.map(({ links }) => links)].map((parts) => new Int32Array(parts))
  }

  /** In place of the one before. */
  set(placement: Placement): void {
    const { nodes, links } = placement
    this.placement = placement
    this.#mark++
    this.#add(nodes, 0)
    for (let level = 0; level < links.length; level++) this.#add(links[level], level + 1)
  }

  /** Whether a placement takes none of its nodes and links. */
  isApartFrom({ nodes, links }: Placement): boolean {
    if (this.#hasAny(nodes, 0)) return false
    for (let level = 0; level < links.length; level++) if (this.#hasAny(links[level], level + 1)) return false
    return true
  }

  /** Whether it takes all that another one does. */
  includes({ nodes, links }: Placement): boolean {
    if (!this.#hasAll(nodes, 0)) return false
    for (let level = 0; level < links.length; level++) if (!this.#hasAll(links[level], level + 1)) return false
    return true
  }

  #add(ids: ArrayLike<number>, kind: number): void {
    const markedAs = this.#markedAs[kind]
    if (markedAs === undefined) return
    for (let i = 0; i < ids.length; i++) markedAs[ids[i]] = this.#mark
  }

  #hasAny(ids: ArrayLike<number>, kind: number): boolean {
    const markedAs = this.#markedAs[kind]
    if (markedAs === undefined) return false
    for (let i = 0; i < ids.length; i++) if (markedAs[ids[i]] === this.#mark) return true
    return false
  }

  #hasAll(ids: ArrayLike<number>, kind: number): boolean {
    const markedAs = this.#markedAs[kind]
    for (let i = 0; i < ids.length; i++) if (markedAs?.[ids[i]] !== this.#mark) return false
    return true
  }
}
