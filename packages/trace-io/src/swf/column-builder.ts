import type { NumberColumn } from '@cloister/workload'

/** Least capacity of a column. */
const LEAST = 1024

/**
 * Column of numbers that grows, one number at a time. The column is of 32-bit integers until a number does not fit. A
 * column of -1 only, an unknown value for each job, takes no memory.
 */
export class ColumnBuilder {
  #length = 0
  #integers: Int32Array<ArrayBuffer> | undefined
  #numbers: Float64Array<ArrayBuffer> | undefined
  #capacity = Infinity

  push(value: number): void {
    if (this.#length >= this.#capacity) this.#grow()
    if (this.#numbers !== undefined) this.#numbers[this.#length] = value
    else if ((value | 0) !== value) this.#widened()[this.#length] = value
    else if (this.#integers !== undefined) this.#integers[this.#length] = value
    else if (value !== -1) this.#begun()[this.#length] = value
    this.#length++
  }

  /** Returns the numbers so far. @param unknown result for a column of -1 only, also if no number was added */
  column(unknown: NumberColumn): NumberColumn {
    return (this.#numbers ?? this.#integers)?.subarray(0, this.#length) ?? unknown
  }

  #grow(): void {
    this.#capacity += this.#capacity >>> 2
    // `transfer` frees the old memory at once, not at the next garbage collection.
    if (this.#numbers !== undefined) this.#numbers = new Float64Array(this.#numbers.buffer.transfer(8 * this.#capacity))
    else this.#integers = new Int32Array(this.#integers!.buffer.transfer(4 * this.#capacity))
  }

  #begun(): Int32Array {
    this.#capacity = Math.max(LEAST, this.#length + (this.#length >>> 2))
    this.#integers = new Int32Array(this.#capacity).fill(-1, 0, this.#length)
    return this.#integers
  }

  #widened(): Float64Array {
    const integers = (this.#integers ?? this.#begun()).subarray(0, this.#length)
    this.#numbers = new Float64Array(this.#capacity)
    this.#numbers.set(integers)
    this.#integers = undefined
    return this.#numbers
  }
}

/** Returns a column of `count` times -1. */
export function unknowns(count: number): Int32Array {
  return new Int32Array(count).fill(-1)
}
