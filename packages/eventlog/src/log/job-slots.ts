import { IdMap } from './id-map.ts'

/** Map from ids of running jobs to numbers (slots). Ended jobs return their numbers, so the numbers stay small. */
export class JobSlots {
  readonly #slots = new IdMap()
  readonly #free: Array<number> = []
  #count = 0

  get(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** Gives a free number to an id that has no number, and returns the number. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#count++
    this.#slots.add(id, slot)
    return slot
  }

  /** Frees the number of an id and returns the number. Returns undefined if the id has no number. */
  giveBack(id: string): number | undefined {
    const slot = this.#slots.get(id)
    if (slot === undefined) return undefined
    this.#slots.delete(id)
    this.#free.push(slot)
    return slot
  }
}
