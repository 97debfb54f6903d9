/** Set of ids in ascending order, one bit an id: a hostile log may add and remove millions of ids with each record. */
export class IdSet implements Iterable<number> {
  readonly #words: Uint32Array
  #size = 0

  /** @param limit upper limit of the ids, exclusive */
  constructor(limit: number) {
    this.#words = new Uint32Array((limit + 31) >>> 5)
  }

  /** Returns the set of all ids from 0 to `limit - 1`. */
  static all(limit: number): IdSet {
    const set = new IdSet(limit)
    set.#words.fill(0xffffffff)
    if (limit % 32 > 0) set.#words[limit >>> 5] = (1 << (limit % 32)) - 1
    set.#size = limit
    return set
  }

  /** Number of ids in the set. */
  get size(): number {
    return this.#size
  }

  has(id: number): boolean {
    return (this.#words[id >>> 5] & (1 << (id & 31))) !== 0
  }

  /** Adds an id. @throws RangeError if the id is not below the limit of the set, rounded up to a multiple of 32 */
  add(id: number): void {
    if (id >>> 5 >= this.#words.length)
      throw new RangeError(`found id ${id}, expected an id below ${this.#words.length * 32}`)
    const bit = 1 << (id & 31)
    if ((this.#words[id >>> 5] & bit) !== 0) return
    this.#words[id >>> 5] |= bit
    this.#size++
  }

  delete(id: number): void {
    const bit = 1 << (id & 31)
    if ((this.#words[id >>> 5] & bit) === 0) return
    this.#words[id >>> 5] &= ~bit
    this.#size--
  }

  /** Returns all ids of the set, ascending. */
  ids(): Int32Array {
    const ids = new Int32Array(this.#size)
    let found = 0
    this.#words.forEach((word, at) => {
      for (let bits = word; bits !== 0; bits &= bits - 1) ids[found++] = (at << 5) + 31 - Math.clz32(bits & -bits)
    })
    return ids
  }

  [Symbol.iterator](): Iterator<number> {
    return this.ids().values()
  }
}

/**
 * Map from job ids to integers from 0. A numeric id not much larger than the number of ids is an index of an array: a
 * `Map` of a million texts would take a tenth of the time in which the metrics of a log are computed.
 */
class IdMap {
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
export function plainNumber(id: string): number {
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

/** Map from ids of running jobs to numbers (slots). Ended jobs return their numbers, so the numbers stay small. */
export class JobSlots {
  readonly #slots = new IdMap()
  readonly #free: Array<number> = []
  #count = 0

  get(id: string): number | undefined {
    return this.#slots.get(id)
  }

  /** Gives a free number to an id that has no number, and returns the number. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#count++
    this.#slots.add(id, slot)
    return slot
  }

  /** Frees the number of an id and returns the number. Returns undefined if the id has no number. */
  giveBack(id: string): number | undefined {
    const slot = this.#slots.get(id)
    if (slot === undefined) return undefined
    this.#slots.delete(id)
    this.#free.push(slot)
    return slot
  }
}
