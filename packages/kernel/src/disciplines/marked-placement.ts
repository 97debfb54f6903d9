import type { Placement } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** A placement whose nodes and links are marked in arrays, so that comparisons with further placements are fast. */
export class MarkedPlacement {
  /** Number of the last placement that marked each node, then each link of each level. */
  readonly #markedAs: ReadonlyArray<Int32Array>
  #mark = 0
  placement: Placement | undefined

  constructor({ nodes, levels }: Topology) {
    this.#markedAs = [nodes, ...levels.map(({ links }) => links)].map((count) => new Int32Array(count))
  }

  set(placement: Placement): void {
    const { nodes, links } = placement
    this.placement = placement
    this.#mark++
    this.#add(nodes, 0)
    for (let level = 0; level < links.length; level++) this.#add(links[level], level + 1)
  }

  isApartFrom({ nodes, links }: Placement): boolean {
    if (this.#hasAny(nodes, 0)) return false
    for (let level = 0; level < links.length; level++) if (this.#hasAny(links[level], level + 1)) return false
    return true
  }

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
