import { addBlock, finish } from './murmur-hash.ts'

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
