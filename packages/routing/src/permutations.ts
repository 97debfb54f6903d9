import { seededDraws } from '@cloister/topology'

/** Permutations of the places 0 to n - 1, as traffic patterns: place `i` sends to place `permutation[i]`. */

/** Returns the permutation in which place `i` sends to place `(i + distance) mod n`. */
export function shift(n: number, distance: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => (i + distance) % n)
}

/**
 * Returns the permutation in which every place sends to the place with the bits in reversed order. If `n` is no power
 * of two, a place sends to the position of its reversed number in the ascending list of all reversed numbers.
 */
export function bitReversal(n: number): Int32Array {
  const bits = n <= 1 ? 0 : 32 - Math.clz32(n - 1)
  const reversed = Int32Array.from({ length: n }, (_, i) => reverse(i, bits))
  const order = reversed.toSorted()
  const rank = new Map(Array.from(order, (value, i) => [value, i]))
  return reversed.map((value) => rank.get(value)!)
}

function reverse(value: number, bits: number): number {
  let result = 0
  for (let bit = 0; bit < bits; bit++) result |= ((value >> bit) & 1) << (bits - 1 - bit)
  return result
}

/** Returns a pseudo-random permutation of `n` places for a seed (Fisher-Yates shuffle). */
export function randomPermutation(n: number, seed: number): Int32Array {
  const places = shift(n, 0)
  const draw = seededDraws(seed)
  for (let i = n - 1; i > 0; i--) {
    const j = draw(i + 1)
    const place = places[i]
    places[i] = places[j]
    places[j] = place
  }
  return places
}
