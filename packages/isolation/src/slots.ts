import { popcount } from '@cloister/placement'

/**
 * Functions on masks of slots. Parallel cables between two switches are interchangeable, so only the number of free
 * cables matters. A switch with `parents` parents has **slots**: slot `b + parents * k` is free if more than `k` cables
 * to parent `b` are free. For each parent, the intersection of two masks has the smaller of the two numbers of cables.
 * With single cables, slots and up-ports are the same.
 */

/**
 * Writes the mask of free slots of a switch with parallel cables, from the mask of its free ports, both of `words`
 * words.
 */
export function slotsOfPorts(
  ports: (word: number) => number,
  parents: number,
  cables: number,
  out: Int32Array,
  at: number,
  words: number,
): void {
  out.fill(0, at, at + words)
  for (let parent = 0; parent < parents; parent++) {
    let slot = parent
    for (let port = parent; port < parents * cables; port += parents) {
      if ((ports(port >>> 5) & (1 << (port & 31))) === 0) continue
      out[at + (slot >>> 5)] |= 1 << (slot & 31)
      slot += parents
    }
  }
}

/**
 * Returns a mask with one port for each slot in `mask`: the lowest free ports to each parent, for a switch with
 * parallel cables.
 */
export function chosenPorts(
  mask: Int32Array,
  ports: (word: number) => number,
  parents: number,
  cables: number,
  words: number,
): Int32Array {
  const chosen = new Int32Array(words)
  for (let parent = 0; parent < parents; parent++) {
    let slot = parent
    for (let port = parent; port < parents * cables; port += parents) {
      if ((ports(port >>> 5) & (1 << (port & 31))) === 0) continue
      if ((mask[slot >>> 5] & (1 << (slot & 31))) === 0) break
      chosen[port >>> 5] |= 1 << (port & 31)
      slot += parents
    }
  }
  return chosen
}

/** Returns the number of set bits of `words` words of a mask from index `at` on. */
export function count(mask: Int32Array, at: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(mask[at + word])
  return bits
}

/** Returns the number of bits that are set in both masks. */
export function countCommon(a: Int32Array, atA: number, b: Int32Array, atB: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(a[atA + word] & b[atB + word])
  return bits
}

/** Writes the bits that are set in both masks into `out`, and returns the number of these bits. */
export function intersect(
  a: Int32Array,
  atA: number,
  b: Int32Array,
  atB: number,
  words: number,
  out: Int32Array,
  atOut: number,
): number {
  let bits = 0
  for (let word = 0; word < words; word++) {
    const both = a[atA + word] & b[atB + word]
    out[atOut + word] = both
    bits += popcount(both)
  }
  return bits
}

/**
 * Sets in `into` the lowest `wanted` bits that are set in `from` and not in `into`, or all such bits if there are
 * fewer.
 */
export function addLowest(
  from: Int32Array,
  atFrom: number,
  into: Int32Array,
  atInto: number,
  words: number,
  wanted: number,
): void {
  let left = wanted
  for (let word = 0; word < words && left > 0; word++) {
    for (let bits = from[atFrom + word] & ~into[atInto + word]; bits !== 0 && left > 0; bits &= bits - 1, left--) {
      into[atInto + word] |= bits & -bits
    }
  }
}

/** Returns the number of cables to one parent, the parent of slot `parent`, in a mask of `ports` slots. */
export function cablesTo(mask: Int32Array, at: number, parent: number, parents: number, ports: number): number {
  let cables = 0
  for (let slot = parent; slot < ports; slot += parents) cables += (mask[at + (slot >>> 5)] >>> (slot & 31)) & 1
  return cables
}
