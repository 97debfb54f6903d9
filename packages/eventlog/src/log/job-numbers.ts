import { IdMap } from './id-map.ts'

/** Numbers of jobs by id, from 0, in the order of adding. */
export class JobNumbers {
  readonly #places = new IdMap()
  #count = 0

  get(id: string): number | undefined {
    return this.#places.get(id)
  }

  /** Gives the next number to an id without a number. */
  add(id: string): void {
    this.#places.add(id, this.#count++)
  }
}
