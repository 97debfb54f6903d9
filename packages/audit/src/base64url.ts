const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Returns bytes in base64url without padding, as seals spell digests. Zero bits fill the last base64url character. */
export function base64url(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let pending = 0
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 6) {
      bits -= 6
      text += ALPHABET[(pending >> bits) & 63]
    }
  }
  return bits === 0 ? text : text + ALPHABET[(pending << (6 - bits)) & 63]
}
