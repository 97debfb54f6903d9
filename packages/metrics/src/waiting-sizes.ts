/** Sizes of the waiting jobs. The smallest size is found fast. */
export class WaitingSizes {
  /** Number of waiting jobs by size. The last number counts all waiting jobs that request more nodes than there are. */
  readonly #counts: Uint32Array
  /** Lower bound of the size of the smallest waiting job. */
  #from = 0
  #length = 0

  /** @param nodes number of nodes of the machine */
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

  /** Returns the size of the smallest waiting job; Infinity if no job waits. */
  smallest(): number {
    if (this.#length === 0) return Infinity
    while (this.#counts[this.#from] === 0) this.#from++
    return this.#from
  }

  #placeOf(size: number): number {
    return Math.min(size, this.#counts.length - 1)
  }
}
