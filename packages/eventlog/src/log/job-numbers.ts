import { IdMap } from './id-map.ts'

/** The places of jobs by their ids, in the order in which they were added. */
export class JobNumbers {
  readonly #places = new IdMap()
  #count = 0

  get(id: string): number | undefined {
    return this.#places.get(id)
  }

  /** The next place, for an id that has none. */
  add(id: string): void {
    this.#places.add(id, this.#count++)
  }
}
