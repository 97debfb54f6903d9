/** Returns the number of set bits of a 32-bit word. */
export function popcount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/**
 * Returns a 32-bit word with the `count` lowest bits set (all bits if `count` is 32 or more); `count` is at least 0.
 */
export function lowBits(count: number): number {
  return count >= 32 ? -1 : (1 << count) - 1
}

/** Returns the number of 32-bit words that hold `bits` bits, at least 1. */
export function wordsFor(bits: number): number {
  return Math.max(1, (bits + 31) >>> 5)
}
