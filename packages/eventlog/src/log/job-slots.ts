import { IdMap } from './id-map.ts'

/** Map from ids of running jobs to slots. Ended jobs return their slots, so the slot numbers stay small. */
export class JobSlots {
  readonly #slots = new IdMap()
  readonly #free: Array<number> = []
  #count = 0

  get(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** Takes a free slot for an id that has no slot, and returns the slot. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#count++
    this.#slots.add(id, slot)
    return slot
  }

  /** Frees the slot of an id and returns the slot. Returns undefined if the id has no slot. */
  giveBack(id: string): number | undefined {
    const slot = this.#slots.get(id)
    if (slot === undefined) return undefined
    this.#slots.delete(id)
    this.#free.push(slot)
    return slot
  }
}
