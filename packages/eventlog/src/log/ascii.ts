import { DEPTH_LIMIT, ID_LIMIT } from '../limits.ts'
import { encodeJson, isMilliseconds, isNestedAtMost, type Json } from '../records/kinds.ts'

/**
 * Error for a call of `LogWriter` with a record that no log can hold: a wrong time, a wrong id, a record after the end
 * record. The caller of `LogWriter` made a mistake.
 */
export class LogWriteError extends Error {
  readonly _tag: 'LogWriteError' = 'LogWriteError'
  override readonly name: string = 'LogWriteError'
  readonly seq: number

  constructor(seq: number, problem: string) {
    super(`record ${seq}: ${problem}`)
    this.seq = seq
  }
}

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const MINUS = 45
const POINT = 46
const ZERO = 48
const OPEN_LIST = 91
const CLOSE_LIST = 93

/** Most characters of an integer: the length of -9007199254740991. */
const INTEGER_LENGTH = 17
/** Most characters of an id in an idset, separator included. */
const ID_LENGTH = 11

/** Returns the bytes of an ASCII text, for `AsciiBuffer.literal`. */
export function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/**
 * Growing buffer of ASCII bytes in which `LogWriter` spells records. The bytes equal the result of `encodeRecord`, but
 * no strings are made: writing the log is half of the work of a simulation.
 */
export class AsciiBuffer {
  #bytes: Uint8Array = new Uint8Array(1 << 16)
  #length = 0
  /** Seq of the record being written, for the messages of errors. */
  seq = 0

  get length(): number {
    return this.#length
  }

  /** Returns the bytes from `start` on, without a copy; the bytes are valid until the next write into the buffer. */
  view(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#length)
  }

  /** Drops all bytes. */
  clear(): void {
    this.#length = 0
  }

  literal(text: Uint8Array): void {
    this.#reserve(text.length)
    const bytes = this.#bytes
    let at = this.#length
    for (let i = 0; i < text.length; i++) bytes[at++] = text[i]
    this.#length = at
  }

  /** Writes an integer. @throws LogWriteError unless `n` is an integer from 0 to 2^53 - 1 */
  natural(n: number): void {
    this.#reserve(INTEGER_LENGTH)
    if ((n | 0) === n && n >= 0) this.#length = writeInt32(this.#bytes, this.#length, n)
    else if (Number.isSafeInteger(n) && n >= 0) this.text(String(n))
    else throw new LogWriteError(this.seq, `expected an integer from 0, found ${n}`)
  }

  /** Writes a time in milliseconds as seconds. @throws LogWriteError unless `ms` is an integer from 0 to `MAX_MS` */
  time(ms: number): void {
    if (!isMilliseconds(ms))
      throw new LogWriteError(this.seq, `expected a time in integer milliseconds from 0, found ${ms}`)
    const seconds = Math.floor(ms / 1000)
    this.natural(seconds)
    let thousandths = ms - seconds * 1000
    if (thousandths === 0) return
    this.#reserve(INTEGER_LENGTH)
    this.#bytes[this.#length++] = POINT
    for (let unit = 100; thousandths > 0; unit /= 10) {
      const digit = Math.floor(thousandths / unit)
      this.#bytes[this.#length++] = ZERO + digit
      thousandths -= digit * unit
    }
  }

  /** Writes a JSON string. */
  string(text: string): void {
    this.#reserve(text.length + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = QUOTE
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH) {
        this.text(encodeJson(text))
        return
      }
      bytes[at++] = code
    }
    bytes[at++] = QUOTE
    this.#length = at
  }

  /** Writes an idset in quotes. @throws LogWriteError unless the ids are ascending integers from 0 below `ID_LIMIT` */
  idset(ids: ArrayLike<number>): void {
    const count = ids.length
    this.#reserve(count * ID_LENGTH + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = QUOTE
    let previous = -1
    for (let i = 0; i < count;) {
      const first = ids[i]
      if (!(first > previous) || (first | 0) !== first) {
        throw new LogWriteError(
          this.seq,
          `expected ids that ascend from 0, found ${first} ${previous < 0 ? 'first' : `after ${previous}`}`,
        )
      }
      let last = first
      for (i++; i < count && ids[i] === last + 1; i++) last++
      if (last >= ID_LIMIT) throw new LogWriteError(this.seq, `expected ids below ${ID_LIMIT}, found ${last}`)
      if (previous >= 0) bytes[at++] = COMMA
      at = writeInt32(bytes, at, first)
      if (last > first) {
        bytes[at++] = MINUS
        at = writeInt32(bytes, at, last)
      }
      previous = last
    }
    bytes[at++] = QUOTE
    this.#length = at
  }

  /** Writes a list of idsets, one a level. Throws like `idset`. */
  idsets(levels: ReadonlyArray<ArrayLike<number>>, count: number): void {
    for (let level = 0; level < count; level++) {
      this.#byte(level === 0 ? OPEN_LIST : COMMA)
      this.idset(levels[level])
    }
    this.#byte(CLOSE_LIST)
  }

  /** Writes a list of integers. Throws like `natural`. */
  naturals(numbers: ArrayLike<number>): void {
    this.#byte(OPEN_LIST)
    for (let i = 0; i < numbers.length; i++) {
      if (i > 0) this.#byte(COMMA)
      this.natural(numbers[i])
    }
    this.#byte(CLOSE_LIST)
  }

  /** Writes JSON. @throws LogWriteError if the JSON is nested more than `DEPTH_LIMIT` deep */
  json(json: Json): void {
    if (!isNestedAtMost(DEPTH_LIMIT, json))
      throw new LogWriteError(this.seq, `expected JSON nested at most ${DEPTH_LIMIT} deep`)
    this.text(encodeJson(json))
  }

  /** Writes an ASCII text. */
  text(text: string): void {
    this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }

  #byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

const DIGITS = ascii(Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0')).join(''))

/** Writes an integer from 0 to 2^31 - 1 into `bytes` from the index `at` on; returns the index after the last digit. */
function writeInt32(bytes: Uint8Array, at: number, n: number): number {
  const end = at + digitsOf(n)
  let i = end
  while (n >= 100) {
    const rest = (n / 100) | 0
    const two = (n - rest * 100) << 1
    bytes[--i] = DIGITS[two + 1]
    bytes[--i] = DIGITS[two]
    n = rest
  }
  if (n >= 10) bytes[--i] = DIGITS[(n << 1) + 1]
  bytes[--i] = n >= 10 ? DIGITS[n << 1] : ZERO + n
  return end
}

function digitsOf(n: number): number {
  if (n < 100_000) {
    if (n < 100) return n < 10 ? 1 : 2
    return n < 1000 ? 3 : n < 10_000 ? 4 : 5
  }
  if (n < 10_000_000) return n < 1_000_000 ? 6 : 7
  return n < 100_000_000 ? 8 : n < 1_000_000_000 ? 9 : 10
}
