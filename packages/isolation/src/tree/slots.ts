/**
 * Masks of slots. Parallel cables between two switches are interchangeable; only their number matters. A switch with
 * `parents` parents has **slots**: slot `b + parents * k` is free if more than `k` cables to parent `b` are free. For
 * each parent, the intersection of two masks has the smaller of the two numbers of cables. With single cables, slots
 * and up-ports are the same.
 */
import { popcount } from '@cloister/placement'

/** Writes the slots of a port mask of `words` words. For switches with parallel cables. */
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
 * Appends one port for each slot in `mask`: the lowest free ports to each parent. Ports ascend. For switches with
 * parallel cables. Returns the new end of `out`.
 */
export function appendPorts(
  mask: Int32Array,
  ports: (word: number) => number,
  parents: number,
  cables: number,
  words: number,
  firstPort: number,
  out: Array<number>,
  at: number,
): number {
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
  return appendBits(chosen, 0, words, firstPort, out, at)
}

/**
 * Appends `first` + i for each set bit i of `words` words from `atMask` on. With single cables, bits are ports. Returns
 * the new end of `out`.
 */
export function appendBits(
  mask: Int32Array,
  atMask: number,
  words: number,
  first: number,
  out: Array<number>,
  at: number,
): number {
  let next = at
  for (let word = 0; word < words; word++) {
    for (let bits = mask[atMask + word]; bits !== 0; bits &= bits - 1)
      out[next++] = first + (word << 5) + 31 - Math.clz32(bits & -bits)
  }
  return next
}

/** Counts the set bits of `words` words from `at` on. */
export function count(mask: Int32Array, at: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(mask[at + word])
  return bits
}

/** Counts the common set bits of two masks. */
export function countCommon(a: Int32Array, atA: number, b: Int32Array, atB: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(a[atA + word] & b[atB + word])
  return bits
}

/** Sets in `into` the lowest `wanted` bits of `from` that `into` lacks; fewer if there are fewer. */
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
