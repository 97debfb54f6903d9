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
