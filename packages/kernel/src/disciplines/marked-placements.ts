import { MASKED, type MaskedResources, type Placement } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Masks of one placement, stored by word, for fast comparisons with other placements. */
export class MarkedPlacement {
  /** Mask of the placement at each word of the nodes, then of the links of each level; grows with the words. */
  readonly #marks: Array<Int32Array> = []
  #masks: MaskedResources = { nodes: [], links: [] }
  placement: Placement | undefined

  /** @param masks masks of the placement */
  set(placement: Placement, masks: MaskedResources): void {
    this.#forget(this.#masks.nodes, 0)
    this.#masks.links.forEach((links, level) => this.#forget(links, level + 1))
    this.placement = placement
    this.#masks = masks
    this.#add(masks.nodes, 0)
    for (let level = 0; level < masks.links.length; level++) this.#add(masks.links[level], level + 1)
  }

  isApartFrom({ nodes, links }: MaskedResources): boolean {
    if (this.#hasAny(nodes, 0)) return false
    for (let level = 0; level < links.length; level++) if (this.#hasAny(links[level], level + 1)) return false
    return true
  }

  includes({ nodes, links }: MaskedResources): boolean {
    if (!this.#hasAll(nodes, 0)) return false
    for (let level = 0; level < links.length; level++) if (!this.#hasAll(links[level], level + 1)) return false
    return true
  }

  #add(masks: MaskedResources['nodes'], kind: number): void {
    while (this.#marks.length <= kind) this.#marks.push(new Int32Array(0))
    const last = masks.length < MASKED ? -1 : masks[masks.length - MASKED + 1]
    if (last >= this.#marks[kind].length) {
      const grown = new Int32Array(2 * last + 2)
      grown.set(this.#marks[kind])
      this.#marks[kind] = grown
    }
    const marks = this.#marks[kind]
    for (let i = 0; i < masks.length; i += MASKED) marks[masks[i + 1]] = masks[i + 2]
  }

  #forget(masks: MaskedResources['nodes'], kind: number): void {
    const marks = this.#marks[kind]
    for (let i = 0; i < masks.length; i += MASKED) marks[masks[i + 1]] = 0
  }

  #hasAny(masks: MaskedResources['nodes'], kind: number): boolean {
    const marks = this.#marks[kind]
    if (marks === undefined) return false
    for (let i = 0; i < masks.length; i += MASKED) if ((marks[masks[i + 1]] & masks[i + 2]) !== 0) return true
    return false
  }

  #hasAll(masks: MaskedResources['nodes'], kind: number): boolean {
    const marks = this.#marks[kind]
    if (marks === undefined) return masks.length === 0
    for (let i = 0; i < masks.length; i += MASKED)
      if ((marks[masks[i + 1]] & masks[i + 2]) !== masks[i + 2]) return false
    return true
  }
}

/** Number of remembered placements: to compare more of them takes longer than the question that a match saves. */
const CAPACITY = 64

interface Blocking {
  readonly masks: MaskedResources
  readonly bandwidth: number
}

/**
 * Placements beside which a monotone policy cannot place a job with a reservation at its reserved time. A placement
 * that includes a known one also blocks this job, until more nodes or links are expected to be free at that time.
 */
export class BlockingPlacements {
  readonly #known: Array<Blocking> = []
  readonly #asked: MarkedPlacement

  /** @param asked memory for the placement of a question; several objects may share the memory */
  constructor(asked: MarkedPlacement) {
    this.#asked = asked
  }

  /** @param masks masks of the placement */
  includes(placement: Placement, masks: MaskedResources): boolean {
    const known = this.#known
    if (known.length === 0) return false
    const { bandwidth = 0 } = placement
    this.#asked.set(placement, masks)
    // A placement that matched is likely to match again. The loop tries the last match first.
    for (let i = known.length - 1; i >= 0; i--) {
      const each = known[i]
      if (each.bandwidth > bandwidth || !this.#asked.includes(each.masks)) continue
      for (let at = i + 1; at < known.length; at++) known[at - 1] = known[at]
      known[known.length - 1] = each
      return true
    }
    return false
  }

  add({ bandwidth = 0 }: Placement, masks: MaskedResources): void {
    if (this.#known.length === CAPACITY) this.#known.shift()
    this.#known.push({ masks, bandwidth })
  }

  forget(): void {
    this.#known.length = 0
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
