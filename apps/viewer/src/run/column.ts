type Numbers = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** A typed array that grows. */
export class Column<Kind extends Numbers> {
  length = 0
  #values: Kind
  readonly #make: new (length: number) => Kind

  /** Makes a column with the values `initial`; an empty column if `initial` is absent. */
  constructor(kind: new (length: number) => Kind, initial?: Kind) {
    this.#make = kind
    this.#values = initial ?? new kind(1024)
    this.length = initial?.length ?? 0
  }

  at(index: number): number {
    return this.#values[index]
  }
  set(index: number, value: number): void {
    this.#values[index] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1)
    this.#values[this.length++] = value
  }

  /** Returns a view of the values from index `from` to before `to`. After a later `push`, the view may be outdated. */
  view(from: number = 0, to: number = this.length): Kind {
    return this.#values.subarray(from, to) as Kind
  }

  #grow(length: number): void {
    if (length <= this.#values.length) return
    const larger = new this.#make(Math.max(length, 2 * this.#values.length))
    larger.set(this.#values)
    this.#values = larger
  }
}
