import type { Placement } from '@cloister/placement'
import type { MarkedPlacement } from './marked-placement.ts'

/** More are not worth the comparisons. */
const CAPACITY = 64

/**
 * Placements beside which a monotone policy cannot place the head at its shadow time. Whatever takes at least as much blocks it too,
 * as long as no more is expected to be free then.
 */
export class BlockingPlacements {
  readonly #known: Array<Placement> = []
  readonly #asked: MarkedPlacement

  /** @param asked where a placement is kept while it is compared */
  constructor(asked: MarkedPlacement) {
    this.#asked = asked
  }

  /** Whether a placement takes all that a known one takes. */
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
