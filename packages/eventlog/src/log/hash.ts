/**
 * SHA-256 as a function that starts a new computation: `sha256` of `@cloister/eventlog/node`, or another implementation
 * in a browser.
 */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** Returns the 32 bytes; called once, at the end. */
  digest(): Uint8Array
}

/** Characters of a SHA-256 in base64url. */
export const DIGEST_LENGTH = 43
