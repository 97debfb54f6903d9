type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** Growing list of numbers in a typed array. */
export class Column<A extends Numbers> {
  length = 0
  #values: A
  readonly #make: (length: number) => A

  constructor(make: (length: number) => A) {
    this.#make = make
    this.#values = make(64)
  }

  at(index: number): number {
    return this.#values[index]
  }

  /** Sets the number at an index; the index `length` appends the number. */
  set(index: number, value: number): void {
    if (index === this.length) this.push(value)
    else this.#values[index] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = this.#make(Math.ceil(this.length * 1.5))
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }
}

export function float64(): Column<Float64Array<ArrayBuffer>> {
  return new Column((length) => new Float64Array(length))
}

export function int32(): Column<Int32Array<ArrayBuffer>> {
  return new Column((length) => new Int32Array(length))
}

export function uint8(): Column<Uint8Array<ArrayBuffer>> {
  return new Column((length) => new Uint8Array(length))
}
