import type { Placement } from '@cloister/placement'
import type { MarkedPlacement } from './marked-placement.ts'

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

  #isWithin(known: Placement, { nodes, bandwidth = 0 }: Placement): boolean {
    if (known.nodes.length > nodes.length || (known.bandwidth ?? 0) > bandwidth) return false
    return this.#asked.includes(known)
  }
}
