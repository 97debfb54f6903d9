/**
 * Ids of nodes, or of links of one level, as masks of 32 bits. Each mask takes `MASKED` numbers: the switch that has
 * the nodes or links, the index of the word among all words of the level, the mask, and the number of its set bits.
 */
export type MaskedIds = ReadonlyArray<number>
/** Numbers of one mask in `MaskedIds`. */
export const MASKED = 4

/** Masks of nodes, and of the links of each level. */
export interface MaskedResources {
  readonly nodes: MaskedIds
  readonly links: ReadonlyArray<MaskedIds>
}

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

/** Returns the lowest `count` set bits of a 32-bit word, or all if the word has fewer. */
export function lowestOf(word: number, count: number): number {
  if (popcount(word) <= count) return word
  let rest = word
  for (let left = count; left > 0; left--) rest &= rest - 1
  return word & ~rest
}

/** Returns the number of 32-bit words that hold `bits` bits, at least 1. */
export function wordsFor(bits: number): number {
  return Math.max(1, (bits + 31) >>> 5)
}

/** Returns the largest number of nodes or links of a switch. @param first first id of each switch, then all ids */
export function longest(first: Int32Array): number {
  let most = 0
  for (let i = 0; i + 1 < first.length; i++) most = Math.max(most, first[i + 1] - first[i])
  return most
}

/**
 * Returns the ids of masks, ascending.
 *
 * @param layout first id of each switch, and the number of words of a switch
 */
export function idsOf(
  masks: MaskedIds,
  { first, words }: { readonly first: Int32Array; readonly words: number },
): ReadonlyArray<number> {
  const ids = new Array<number>(countOf(masks))
  let at = 0
  for (let i = 0; i < masks.length; i += MASKED) {
    const from = first[masks[i]] + ((masks[i + 1] - masks[i] * words) << 5)
    for (let mask = masks[i + 2]; mask !== 0; mask &= mask - 1) ids[at++] = from + 31 - Math.clz32(mask & -mask)
  }
  return ids
}

/** Returns the number of nodes or links of masks. */
function countOf(masks: ReadonlyArray<number>): number {
  let count = 0
  for (let i = 0; i < masks.length; i += MASKED) count += masks[i + 3]
  return count
}
