import { IdMap } from './id-map.ts'

/** Map from job ids to the numbers 0, 1, 2, … in the order of adding. */
export class JobNumbers {
  readonly #places = new IdMap()
  #count = 0

  get(id: string): number | undefined {
    return this.#places.get(id)
  }

  /** Gives the next number to an id that has no number yet. */
  add(id: string): void {
    this.#places.add(id, this.#count++)
  }
}
