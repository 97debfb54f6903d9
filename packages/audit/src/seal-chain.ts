import type { HashFunction } from '@cloister/eventlog'
import type { InvariantTally } from './report.ts'

const LF = 10
const COMMA = 44
const encode = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const SEAL_TYPE = encode('"type":"seal",')
const HASH_LENGTH = 43
/** Number of bytes in the line of a seal after its hash: `"}`. */
const AFTER_HASH = 2
/** Number of bytes at the end of a seal's line that the hash does not cover: `,"hash":"`, the hash and `"}`. */
const NOT_COVERED: number = ',"hash":"'.length + HASH_LENGTH + AFTER_HASH

/**
 * Checks the hashes of a log's seals on the bytes of the log, before the reader receives the bytes. Each seal's `hash`
 * must be the SHA-256 of the previous seal's `hash` (nothing for the first seal) and of all bytes after the previous
 * seal, up to `,"hash"` in the seal's own line. The check finds lines and seals, and parses nothing else.
 */
export class SealChain {
  readonly #tally: InvariantTally
  readonly #hash: HashFunction
  #computation: ReturnType<HashFunction>
  #line = 0
  /** Chunks of the last line, whose LF has not come yet. */
  #rest: Array<Uint8Array> = []

  constructor(tally: InvariantTally, hash: HashFunction) {
    this.#tally = tally
    this.#hash = hash
    this.#computation = hash()
  }

  /** Yields the given chunks unchanged, and checks each chunk before it yields the chunk. */
  *watch(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
    for (const chunk of chunks) {
      this.#push(chunk)
      yield chunk
    }
  }

  #push(chunk: Uint8Array): void {
    if (!chunk.includes(LF)) {
      this.#rest.push(chunk.slice())
      return
    }
    const bytes = concatenate([...this.#rest, chunk])
    let covered = 0
    let start = 0
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      if (isSeal(bytes, start, end)) {
        this.#computation.update(bytes.subarray(covered, Math.max(start, end - NOT_COVERED)))
        this.#check(bytes.subarray(end - AFTER_HASH - HASH_LENGTH, end - AFTER_HASH))
        covered = end + 1
      }
      start = end + 1
      this.#line++
    }
    this.#computation.update(bytes.subarray(covered, start))
    this.#rest = [bytes.slice(start)]
  }

  #check(written: Uint8Array): void {
    this.#tally.tested()
    const hash = base64url(this.#computation.digest())
    if (hash !== String.fromCharCode(...written)) {
      this.#tally.violatedAt({
        seq: this.#line,
        message: `the seal's hash does not match: the bytes since the previous seal give ${hash}`,
      })
    }
    this.#computation = this.#hash()
    this.#computation.update(written)
  }
}

function concatenate(chunks: ReadonlyArray<Uint8Array>): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

/** The third key of every record except the header is `type`. */
function isSeal(bytes: Uint8Array, start: number, end: number): boolean {
  let commas = 0
  let at = start
  // The search for commas ends with the line: in a log without commas, a longer search would take too long.
  while (at < end && commas < 2) if (bytes[at++] === COMMA) commas++
  for (let i = 0; i < SEAL_TYPE.length; i++) if (bytes[at + i] !== SEAL_TYPE[i]) return false
  return true
}

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
