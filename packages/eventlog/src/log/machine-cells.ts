/** Integer of a node or link that is down, in the sums of a seal. */
const DOWN = 0xffffffff

/** Numbers that the cells of an allocation add to the two sums of a seal, modulo 2^32. */
export interface Summands {
  first: number
  second: number
}

/**
 * Integer of each node and link of the machine, and the two sums over all integers that a seal digests (SPEC.md,
 * "Seals"). A **cell** is a node or a link. Each change of a cell changes the sums at once, so no seal looks at all cells
 * of the machine.
 */
export class MachineCells {
  /** The two sums modulo 2^32. */
  readonly sums: Uint32Array = new Uint32Array(2)
  /** Integer of each cell while the cell is up. */
  readonly #integers: Uint32Array
  /** 1 for a cell that is down; undefined until the first failure. */
  #down: Uint8Array | undefined

  /** @param cells number of nodes and links */
  constructor(cells: number) {
    this.#integers = new Uint32Array(cells)
  }

  /** Gives the first `count` cells of a list the integer `seq`, and sets the summands of the allocation. */
  own(cells: Int32Array, count: number, seq: number, summands: Summands): void {
    const integers = this.#integers
    const isAllUp = this.#down === undefined
    let first = 0
    let second = 0
    for (let i = 0; i < count; i++) {
      const cell = cells[i]
      first = (first + weight(2 * cell + 2)) | 0
      second = (second + weight(2 * cell + 3)) | 0
      if (isAllUp && integers[cell] === 0) integers[cell] = seq
      else this.#set(cell, seq, seq)
    }
    summands.first = Math.imul(seq, first)
    summands.second = Math.imul(seq, second)
    this.sums[0] += summands.first
    this.sums[1] += summands.second
  }

  /** Sets the first `count` cells of a list to 0, except cells whose integer is not `seq`. */
  disown(cells: Int32Array, count: number, seq: number, { first, second }: Summands): void {
    const integers = this.#integers
    const isAllUp = this.#down === undefined
    this.sums[0] -= first
    this.sums[1] -= second
    for (let i = 0; i < count; i++) {
      const cell = cells[i]
      const integer = integers[cell]
      if (isAllUp && integer === seq) integers[cell] = 0
      else this.#set(cell, integer === seq ? 0 : integer, -seq)
    }
  }

  /** Adds `change` to the integers of the cells from `from` up to `to` of a list, modulo 2^32. */
  raise(cells: Int32Array, from: number, to: number, change: number): void {
    for (let i = from; i < to; i++) this.#set(cells[i], this.#integers[cells[i]] + change, 0)
  }

  /** Notes for the first `count` cells of a list whether they are down. */
  mark(cells: ArrayLike<number>, count: number, isDown: boolean): void {
    if (!isDown && this.#down === undefined) return
    const down = (this.#down ??= new Uint8Array(this.#integers.length))
    for (let i = 0; i < count; i++) {
      const cell = cells[i]
      if (down[cell] === Number(isDown)) continue
      down[cell] = Number(isDown)
      const change = DOWN - this.#integers[cell]
      this.#add(cell, isDown ? change : -change)
    }
  }

  /** Sets the integer of a cell, modulo 2^32. @param summed change of the integer that the sums already have */
  #set(cell: number, integer: number, summed: number): void {
    const change = integer - this.#integers[cell]
    this.#integers[cell] = integer
    const isDown = this.#down !== undefined && this.#down[cell] === 1
    const missing = (isDown ? 0 : change) - summed
    if (missing !== 0) this.#add(cell, missing)
  }

  #add(cell: number, change: number): void {
    this.sums[0] += Math.imul(change, weight(2 * cell + 2))
    this.sums[1] += Math.imul(change, weight(2 * cell + 3))
  }
}

/** Returns the weight `mix` of SPEC.md, the finalizer of MurmurHash3 (Appleby, 2011): each bit depends on every bit. */
function weight(n: number): number {
  const mixed = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  const again = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return again ^ (again >>> 16)
}

/** Returns the bytes of 32-bit integers, in little-endian order on every machine. */
export function littleEndianBytes(words: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.byteLength))
  words.forEach((word, i) => view.setUint32(4 * i, word, true))
  return new Uint8Array(view.buffer)
}
