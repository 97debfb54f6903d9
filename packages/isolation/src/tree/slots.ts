/**
 * Masks of cables where it does not matter which of several cables between one pair of switches is used. A switch with
 * `parents` parents and parallel cables has **slots**: slot `b + parents * k` is free when more than `k` cables to
 * parent `b` are. The intersection of two such masks then has, for each parent, the smaller of the two counts. With
 * single cables slots and up-ports are the same.
 */
import { popcount } from '@cloister/placement'

/** Writes the slots of a port mask of `words` words, where there are several cables. */
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

/** Appends the ports that stand for the slots in `mask` where there are several cables: as many to each parent, its lowest free ones. Ascending. */
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

/** Appends `first` and the numbers of the bits of `words` words from `atMask`; with single cables these are the ports. */
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

/** Bits set in `words` words from `at`. */
export function count(mask: Int32Array, at: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(mask[at + word])
  return bits
}

/** Bits that two masks have in common. */
export function countCommon(a: Int32Array, atA: number, b: Int32Array, atB: number, words: number): number {
  let bits = 0
  for (let word = 0; word < words; word++) bits += popcount(a[atA + word] & b[atB + word])
  return bits
}

/** Moves the lowest `wanted` bits of `from` that `into` lacks over to `into`. */
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
