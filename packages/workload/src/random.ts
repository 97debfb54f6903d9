import { finish, rotate } from './murmur-hash.ts'

/**
 * A stream of uniform 32-bit integers: xoshiro128** (Blackman and Vigna, 2018), its state filled from the seed by a Weyl sequence
 * through MurmurHash3's finaliser. Integer arithmetic only, so the stream is the same on every machine.
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

/** A number of the exponential distribution of mean 1, as a multiple of 2^-32: von Neumann's method, which only compares uniform draws. */
export function exponential(uniform: () => number): number {
  for (let whole = 0; ; whole++) {
    const first = uniform()
    if (isOdd(descendingRun(first, uniform))) return whole + first / range
  }
}

/** Length of the run that starts at `first` and goes on while each draw is below the one before. It is odd with probability e^-first. */
function descendingRun(first: number, uniform: () => number): number {
  let length = 1
  for (let last = first, draw = uniform(); draw < last; last = draw, draw = uniform()) length++
  return length
}

function isOdd(value: number): boolean {
  return value % 2 === 1
}

/** An integer of [least, most], each equally likely (to 2^-32 times their number). */
export function integerBetween(least: number, most: number, uniform: () => number): number {
  return least + Math.floor((uniform() * (most - least + 1)) / range)
}
