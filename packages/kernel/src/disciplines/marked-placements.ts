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

/** Number of remembered placements: to compare more of them takes longer than the question that a match saves. */
const CAPACITY = 64

/**
 * Placements beside which a monotone policy cannot place a job with a reservation at its reserved time. A placement
 * that includes a known one also blocks this job, until more nodes or links are expected to be free at that time.
 */
export class BlockingPlacements {
  readonly #known: Array<Placement> = []
  readonly #asked: MarkedPlacement

  constructor(asked: MarkedPlacement) {
    this.#asked = asked
  }

  includes(placement: Placement): boolean {
    const known = this.#known
    if (known.length === 0) return false
    this.#asked.set(placement)
    // A placement that matched is likely to match again. The loop tries the last match first.
    for (let i = known.length - 1; i >= 0; i--) {
      const each = known[i]
      if (!this.#isWithin(each, placement)) continue
      for (let at = i + 1; at < known.length; at++) known[at - 1] = known[at]
      known[known.length - 1] = each
      return true
    }
    return false
  }

  add(placement: Placement): void {
    if (this.#known.length === CAPACITY) this.#known.shift()
    this.#known.push(placement)
  }

  forget(): void {
    this.#known.length = 0
  }

  #isWithin(known: Placement, { nodes, bandwidth = 0 }: Placement): boolean {
    if (known.nodes.length > nodes.length || (known.bandwidth ?? 0) > bandwidth) return false
    return this.#asked.includes(known)
  }
}

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
