import { addBlock, finish } from './murmur-hash.ts'

/**
 * A uniform 32-bit integer for one job: a hash (MurmurHash3, 32 bits, a block for each UTF-16 code unit) of seed,
 * purpose and job id. No stream: a job's draw is the same whatever other jobs there are. Integer arithmetic only, so
 * it is the same on every machine.
 *
 * @param seed any safe integer
 * @param purpose what is drawn: draws for different purposes are independent
 */
export function draw(seed: number, purpose: string, job: string): number {
  let hash = addBlock(seed | 0, Math.floor(seed / 0x1_0000_0000))
  const text = `${purpose}\0${job}`
  for (let i = 0; i < text.length; i++) hash = addBlock(hash, text.charCodeAt(i))
  return finish(hash ^ text.length) >>> 0
}

/** One of the choices, each equally likely. */
export function drawOneOf<A>(choices: ReadonlyArray<A>, seed: number, purpose: string, job: string): A {
  return choices[Math.floor((draw(seed, purpose, job) * choices.length) / 0x1_0000_0000)]
}
