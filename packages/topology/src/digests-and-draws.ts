const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Returns bytes in base64url (RFC 4648, section 5) without padding, the form of digests in event logs. */
export function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += ALPHABET[word >> 18] + ALPHABET[(word >> 12) & 63]
    if (i + 1 < bytes.length) text += ALPHABET[(word >> 6) & 63]
    if (i + 2 < bytes.length) text += ALPHABET[word & 63]
  }
  return text
}

/**
 * Returns a source of pseudo-random draws from a seed (mulberry32), for orders and samples on which no published result
 * depends. A seed gives the same draws on every machine. Only the low 32 bits of the seed have an effect.
 *
 * @returns function that draws an integer from 0 to `below` - 1; all integers are nearly equally likely
 * @example seededDraws(7)(6) + 1 // a throw of a die
 */
export function seededDraws(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 0x1_0000_0000) * below)
  }
}
