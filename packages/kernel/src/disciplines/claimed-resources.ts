import type { Placement } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Nodes and links that jobs claim, each up to an end. A reservation that overlaps a claim must move. */
export class ClaimedResources {
  /** Latest end of the claims on each node and link; valid if `#rounds` has the current round at the same index. */
  readonly #ends: ReadonlyArray<Float64Array>
  readonly #rounds: ReadonlyArray<Int32Array>
  #round = 0
  /** Latest end of all claims, integer milliseconds; 0 without claims. */
  latest = 0

  constructor({ nodes, levels }: Topology) {
    const kinds = [nodes, ...levels.map(({ links }) => links)]
    this.#ends = kinds.map((count) => new Float64Array(count))
    this.#rounds = kinds.map((count) => new Int32Array(count))
  }

  clear(): void {
    this.#round++
    this.latest = 0
  }

  /** @param end integer milliseconds */
  claim({ nodes, links }: Placement, end: number): void {
    this.latest = Math.max(this.latest, end)
    this.#claim(nodes, 0, end)
    for (let level = 0; level < links.length; level++) this.#claim(links[level], level + 1, end)
  }

  holdSome({ nodes, links }: Placement, time: number): boolean {
    if (this.#holdSome(nodes, 0, time)) return true
    for (let level = 0; level < links.length; level++) if (this.#holdSome(links[level], level + 1, time)) return true
    return false
  }

  #claim(ids: ArrayLike<number>, kind: number, end: number): void {
    const ends = this.#ends[kind]
    const rounds = this.#rounds[kind]
    if (ends === undefined) return
    for (let i = 0; i < ids.length; i++) {
      ends[ids[i]] = rounds[ids[i]] === this.#round ? Math.max(ends[ids[i]], end) : end
      rounds[ids[i]] = this.#round
    }
  }

  #holdSome(ids: ArrayLike<number>, kind: number, time: number): boolean {
    const ends = this.#ends[kind]
    const rounds = this.#rounds[kind]
    if (ends === undefined) return false
    for (let i = 0; i < ids.length; i++) if (rounds[ids[i]] === this.#round && ends[ids[i]] > time) return true
    return false
  }
}
