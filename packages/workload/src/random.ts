/**
 * Returns a uniform integer from 0 to 2^32 - 1 for one job: a hash of seed, purpose and job id (MurmurHash3, 32 bits, a
 * block for each UTF-16 code unit). The arithmetic uses integers only, so every machine gives the same draws.
 *
 * @param seed any safe integer
 * @param purpose name of the quantity to draw: draws for different purposes are independent
 */
export function draw(seed: number, purpose: string, job: string): number {
  let hash = addBlock(seed | 0, Math.floor(seed / 0x1_0000_0000))
  const text = `${purpose}\0${job}`
  for (let i = 0; i < text.length; i++) hash = addBlock(hash, text.charCodeAt(i))
  return finish(hash ^ text.length) >>> 0
}

/** Returns one of several equally likely choices for a job, with the parameters of `draw`. */
export function drawOneOf<A>(choices: ReadonlyArray<A>, seed: number, purpose: string, job: string): A {
  return choices[Math.floor((draw(seed, purpose, job) * choices.length) / 0x1_0000_0000)]
}

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
    if (descendingRun(first, uniform) % 2 === 1) return whole + first / range
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

/** Draws an integer from `least` to `most`. All n integers are equally likely, with a relative error below n / 2^32. */
export function integerBetween(least: number, most: number, uniform: () => number): number {
  return least + Math.floor((uniform() * (most - least + 1)) / range)
}

// MurmurHash3, 32 bits (Appleby, 2011). The arithmetic uses integers only, so every machine gives the same hashes.

/** Mixes one more 32-bit block into a hash. */
function addBlock(hash: number, block: number): number {
  const mixed = hash ^ Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotate(mixed, 13), 5) + 0xe6546b64) | 0
}

/** Spreads every bit of a hash over all 32 bits of a signed integer: the finaliser of MurmurHash3. */
function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Rotates 32 bits to the left. */
function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}
