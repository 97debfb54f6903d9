import { seededDraws } from '@cloister/topology'

/** Permutations of the places 0 to n - 1, place `i` sending to `permutation[i]`, that stress networks in different ways. */

/** Every place sends `distance` places on, the last ones to the first. */
export function shift(n: number, distance: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => (i + distance) % n)
}

/** Every place sends to that with its bits in reverse; where `n` is no power of two, in the order of the reversed bits. */
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

/** One of all permutations, by a seed (Fisher-Yates). */
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
