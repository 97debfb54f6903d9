/**
 * Function that starts a new computation of SHA-256: `sha256` of `@cloister/eventlog/node` in Node.js, another
 * implementation in a browser.
 */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** Returns the 32 bytes of the SHA-256; called once, after the last `update`. */
  digest(): Uint8Array
}

/** Characters of a SHA-256 in base64url. */
export const DIGEST_LENGTH = 43
