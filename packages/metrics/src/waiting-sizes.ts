/** The sizes of the jobs that wait, and the smallest of them. */
export class WaitingSizes {
  /** How many jobs of each size wait; the last counts all that ask for more than the machine has. */
  readonly #counts: Uint32Array
  /** No smaller job waits. */
  #from = 0
  #length = 0

  /** @param nodes of the machine */
  constructor(nodes: number) {
    this.#counts = new Uint32Array(nodes + 2)
  }

  get length(): number {
    return this.#length
  }

  add(size: number): void {
    const place = this.#placeOf(size)
    this.#counts[place]++
    this.#from = Math.min(this.#from, place)
    this.#length++
  }

  delete(size: number): void {
    this.#counts[this.#placeOf(size)]--
    this.#length--
  }

  /** Infinity where none waits. */
  smallest(): number {
    if (this.#length === 0) return Infinity
    while (this.#counts[this.#from] === 0) this.#from++
    return this.#from
  }

  #placeOf(size: number): number {
    return Math.min(size, this.#counts.length - 1)
  }
}
