import { finish, rotate } from './murmur-hash.ts'

/**
 * Returns a stream of uniform integers from 0 to 2^32 - 1: xoshiro128** (Blackman and Vigna, 2018). A Weyl sequence
 * through the finaliser of MurmurHash3 fills the state from the seed. The arithmetic uses integers only, so every
 * machine gives the same stream.
 */
export function uniformIntegers(seed: number): () => number {
  let weyl = seed | 0
  const next = (): number => finish((weyl = (weyl + 0x9e3779b9) | 0))
  let a = next()
  let b = next()
  let c = next()
  let d = next()
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return result
  }
}

const range = 0x1_0000_0000

/** Draws a multiple of 2^-32 from the exponential distribution with mean 1, by comparisons (von Neumann's method). */
export function exponential(uniform: () => number): number {
  for (let whole = 0; ; whole++) {
    const first = uniform()
    if (isOdd(descendingRun(first, uniform))) return whole + first / range
  }
}

/**
 * Draws integers while each draw is below the draw before (the first draw: below `first`). Returns 1 + the number of
 * draws below the draw before. The result is odd with probability e^-x for x = `first` / 2^32.
 */
function descendingRun(first: number, uniform: () => number): number {
  let length = 1
  for (let last = first, draw = uniform(); draw < last; last = draw, draw = uniform()) length++
  return length
}

function isOdd(value: number): boolean {
  return value % 2 === 1
}

/** Draws an integer from `least` to `most`. All n integers are equally likely, with a relative error below n / 2^32. */
export function integerBetween(least: number, most: number, uniform: () => number): number {
  return least + Math.floor((uniform() * (most - least + 1)) / range)
}
