import { IdMap } from './id-map.ts'

/**
 * Slots for data about running jobs. A returned slot is used again, so there are never more slots than jobs at once.
 */
export class JobSlots {
  readonly #slots = new IdMap()
  readonly #free: Array<number> = []
  #count = 0

  get(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** Returns a slot for an id without a slot. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#count++
    this.#slots.add(id, slot)
    return slot
  }

  /** Frees the slot of an id and returns the slot; undefined if the id has none. */
  giveBack(id: string): number | undefined {
    const slot = this.#slots.get(id)
    if (slot === undefined) return undefined
    this.#slots.delete(id)
    this.#free.push(slot)
    return slot
  }
}
