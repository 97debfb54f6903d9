import { lowBits, popcount } from './bits.ts'
import { type IdLayout, MASKED, type MaskedIds } from './resource-masks.ts'
import { StateError } from './state-error.ts'

/**
 * Change of resources. apply: free resources become held. occupy: resources become held, free or not. release:
 * resources are no longer held. withhold, fail: resources become blocked. restore: resources are no longer blocked.
 */
export type Operation = 'apply' | 'occupy' | 'release' | 'withhold' | 'fail' | 'restore'

/** Masks of the free, held and blocked resources of one kind. A resource is free if neither held nor blocked. */
export class Masks {
  readonly layout: IdLayout
  readonly free: Int32Array
  readonly held: Int32Array
  readonly blocked: Int32Array

  constructor(layout: IdLayout, take: (length: number) => Int32Array) {
    const words = (layout.first.length - 1) * layout.words
    this.layout = layout
    this.free = take(words)
    this.held = take(words)
    this.blocked = take(words)
  }

  /** Marks every resource as free. The masks `held` and `blocked` must still be empty. */
  clear(): void {
    const { first, words } = this.layout
    for (let sw = 0; sw + 1 < first.length; sw++) {
      const count = first[sw + 1] - first[sw]
      for (let word = 0; word < words; word++)
        this.free[sw * words + word] = lowBits(Math.max(0, Math.min(32, count - (word << 5))))
    }
  }

  /** @param among the mask to read: `free`, `held` or `blocked` of this object */
  has(among: Int32Array, id: number): boolean {
    const { switchOf, first, words } = this.layout
    const sw = switchOf[id]
    const bit = id - first[sw]
    return (among[sw * words + (bit >>> 5)] & (1 << (bit & 31))) !== 0
  }

  /**
   * Changes the resources that `mask` selects in one word, and returns by how much the number of free resources grows.
   *
   * @param count number of set bits of `mask`
   * @throws StateError if `apply` finds a resource that is not free, or `release` a resource that is not held
   */
  change(word: number, mask: number, count: number, operation: Operation): number {
    const { free, held, blocked } = this
    const before = free[word]
    switch (operation) {
      case 'apply':
        if ((before & mask) !== mask) throw new StateError(`${this.#named(word, mask & ~before)} is taken but not free`)
        held[word] |= mask
        free[word] = before & ~mask
        return -count
      case 'occupy':
        held[word] |= mask
        free[word] = before & ~mask
        break
      case 'release':
        if ((held[word] & mask) !== mask)
          throw new StateError(`${this.#named(word, mask & ~held[word])} is released but not held`)
        held[word] &= ~mask
        free[word] = before | (mask & ~blocked[word])
        // No held resource was free, so each released resource that is not blocked becomes free.
        if ((blocked[word] & mask) === 0) return count
        break
      case 'restore':
        blocked[word] &= ~mask
        free[word] = before | (mask & ~held[word])
        break
      default:
        blocked[word] |= mask
        free[word] = before & ~mask
    }
    return popcount(free[word]) - popcount(before)
  }

  #named(word: number, mask: number): string {
    const { what, first, words } = this.layout
    const id = first[Math.floor(word / words)] + ((word % words) << 5) + 31 - Math.clz32(mask & -mask)
    return `${what} ${id}`
  }
}

export function allFree(masks: Masks, ids: MaskedIds): boolean {
  for (let i = 0; i < ids.length; i += MASKED) if ((masks.free[ids[i + 1]] & ids[i + 2]) !== ids[i + 2]) return false
  return true
}

export function noneBlocked(masks: Masks, ids: MaskedIds): boolean {
  for (let i = 0; i < ids.length; i += MASKED) if ((masks.blocked[ids[i + 1]] & ids[i + 2]) !== 0) return false
  return true
}
