/**
 * Map from job ids to integers from 0. A numeric id not much larger than the number of ids is an index of an array: a
 * `Map` of a million texts would take a tenth of the time in which the metrics of a log are computed.
 */
export class IdMap {
  /** Value of each numeric id, plus 1; 0 for an id without a value. */
  #numbered: Int32Array = new Int32Array(FEW)
  readonly #others = new Map<string, number>()
  #ids = 0

  get(id: string): number | undefined {
    const number = plainNumber(id)
    const numbered = number < this.#numbered.length ? this.#numbered[number] : 0
    return numbered > 0 ? numbered - 1 : this.#others.get(id)
  }

  /** Adds the value of an id that has no value yet. */
  add(id: string, value: number): void {
    const number = plainNumber(id)
    if (number >= FEW + SPARSEST * ++this.#ids) this.#others.set(id, value)
    else {
      if (number >= this.#numbered.length) this.#grow(number)
      this.#numbered[number] = value + 1
    }
  }

  delete(id: string): void {
    const number = plainNumber(id)
    if (number < this.#numbered.length && this.#numbered[number] > 0) this.#numbered[number] = 0
    else this.#others.delete(id)
  }

  #grow(number: number): void {
    const larger = new Int32Array(2 * number)
    larger.set(this.#numbered)
    this.#numbered = larger
  }
}

/** Numeric ids from `FEW` + `SPARSEST` times the number of ids on are keys of the `Map`, to keep the array short. */
const FEW = 1024
const SPARSEST = 4

/** Returns the number that an id spells without leading zeros; Infinity for more than `MOST_DIGITS` or other text. */
function plainNumber(id: string): number {
  const { length } = id
  if (length === 0 || length > MOST_DIGITS || (length > 1 && id.charCodeAt(0) === ZERO)) return Infinity
  let number = 0
  for (let at = 0; at < length; at++) {
    const digit = id.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return Infinity
    number = number * 10 + digit
  }
  return number
}

const MOST_DIGITS = 9
const ZERO = 48
