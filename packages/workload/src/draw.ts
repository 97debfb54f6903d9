/**
 * A uniform 32-bit integer for one job: a hash (MurmurHash3, 32 bits, a block for each UTF-16 code unit) of seed,
 * purpose and job id. No stream: a job's draw is the same whatever other jobs there are. Integer arithmetic only, so
 * it is the same on every machine.
 *
 * @param seed any safe integer
 * @param purpose what is drawn: draws for different purposes are independent
 */
export function draw(seed: number, purpose: string, job: string): number {
  let hash = block(seed | 0, Math.floor(seed / 0x1_0000_0000))
  const text = `${purpose}\0${job}`
  for (let i = 0; i < text.length; i++) hash = block(hash, text.charCodeAt(i))
  hash ^= text.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** One of the choices, each equally likely. */
export function drawOneOf<A>(choices: ReadonlyArray<A>, seed: number, purpose: string, job: string): A {
  return choices[Math.floor((draw(seed, purpose, job) * choices.length) / 0x1_0000_0000)]
}

function block(hash: number, value: number): number {
  const mixed = hash ^ Math.imul(rotate(Math.imul(value, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotate(mixed, 13), 5) + 0xe6546b64) | 0
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}
