import { IdMap } from './id-map.ts'

/** Places for what is kept of jobs while they run: one that was given back is given again, so there are never more than jobs at once. */
export class JobSlots {
  readonly #slots = new IdMap()
  readonly #free: Array<number> = []
  #count = 0

  get(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** A place for an id that has none. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#count++
    this.#slots.add(id, slot)
    return slot
  }

  /** The place that the id had, if any. */
  giveBack(id: string): number | undefined {
    const slot = this.#slots.get(id)
    if (slot === undefined) return undefined
    this.#slots.delete(id)
    this.#free.push(slot)
    return slot
  }
}
