// MurmurHash3, 32 bits (Appleby, 2011). The arithmetic uses integers only, so every machine gives the same hashes.

/** Mixes one more 32-bit block into a hash. */
export function addBlock(hash: number, block: number): number {
  const mixed = hash ^ Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
  return (Math.imul(rotate(mixed, 13), 5) + 0xe6546b64) | 0
}

/** Spreads every bit of a hash over all 32 bits of a signed integer: the finaliser of MurmurHash3. */
export function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Rotates 32 bits to the left. */
export function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}
