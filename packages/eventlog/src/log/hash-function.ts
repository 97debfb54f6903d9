/** Starts a new computation of SHA-256. In Node.js, `sha256` of `@cloister/eventlog/node` is such a function. */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** Returns the 32 bytes of the SHA-256; called once, after the last `update`. */
  digest(): Uint8Array
}

/** Number of characters of a SHA-256 in base64url. */
export const DIGEST_LENGTH = 43
