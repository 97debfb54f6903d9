/** Number of set bits of a 32-bit word. */
export function popcount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Word with its `count` lowest bits set, 0..32. */
export function lowBits(count: number): number {
  return count >= 32 ? -1 : (1 << count) - 1
}

/** Words of 32 bits that hold `bits` bits; at least one. */
export function wordsFor(bits: number): number {
  return Math.max(1, (bits + 31) >>> 5)
}
