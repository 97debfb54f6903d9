/** Most cells of a machine without a list of changed cells. */
const SMALL = 2 ** 16

/** Integer of a node or link that is down, in the sums of a seal. */
const DOWN = 0xffffffff

/**
 * The two sums over all nodes and links of the machine that a seal digests (SPEC.md, "Seals"). A **cell** is a node or a
 * link. A seal adds only the cells that changed since the seal before: a large machine does not make seals slow.
 */
export class MachineSums {
  /** Sums modulo 2^32, as of the latest `update`. */
  readonly words: Uint32Array = new Uint32Array(2)
  /** Integer of each cell at the latest `update`. */
  readonly #summed: Uint32Array
  /** Cells that may have changed since the latest `update`; all cells if the list is full. */
  readonly #noted: Int32Array
  #count = 0

  /** @param cells number of nodes and links */
  constructor(cells: number) {
    this.#summed = new Uint32Array(cells)
    // With more cells in the list, or on a small machine, a look at every cell takes less time than the list.
    this.#noted = new Int32Array(cells > SMALL ? cells >> 2 : 0)
  }

  /** Notes that the first `count` cells of a list may change before the next `update`. */
  note(cells: ArrayLike<number>, count: number): void {
    const noted = this.#noted
    const from = this.#count
    if (from + count > noted.length) this.#count = Infinity
    else {
      for (let i = 0; i < count; i++) noted[from + i] = cells[i]
      this.#count = from + count
    }
  }

  /**
   * Adds the changes of all noted cells to the sums.
   * @param owners integer of each cell that is up
   * @param down 1 for each cell that is down; undefined if all cells are up
   */
  update(owners: Uint32Array, down: Uint8Array | undefined): void {
    const integerOf = (cell: number): number => (down === undefined || down[cell] === 0 ? owners[cell] : DOWN)
    if (this.#count === Infinity) for (let cell = 0; cell < owners.length; cell++) this.#sum(cell, integerOf(cell))
    else for (let i = 0; i < this.#count; i++) this.#sum(this.#noted[i], integerOf(this.#noted[i]))
    this.#count = 0
  }

  #sum(cell: number, integer: number): void {
    const change = integer - this.#summed[cell]
    if (change === 0) return
    this.#summed[cell] = integer
    this.words[0] += Math.imul(change, weight(2 * cell + 2))
    this.words[1] += Math.imul(change, weight(2 * cell + 3))
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
