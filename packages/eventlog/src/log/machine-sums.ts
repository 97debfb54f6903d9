/**
 * The two sums over all nodes and links of the machine that a seal digests (SPEC.md, "Seals"). A **cell** is a node or a
 * link. Each change of a cell changes the sums at once: no seal looks at all cells of the machine.
 */
export class MachineSums {
  /** Sums modulo 2^32. */
  readonly words: Uint32Array = new Uint32Array(2)

  /** Adds the change of a cell's integer, modulo 2^32, to the sums. */
  add(cell: number, change: number): void {
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
