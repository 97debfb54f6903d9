import { MAX_IDS, quote } from './topology-error.ts'

/**
 * Error for a text that is no idset, or for ids that do not ascend. `at` is the index, from 0, of the faulty character
 * in the text, or of the faulty id in the list.
 */
export class IdsetError extends Error {
  readonly _tag = 'IdsetError' as const
  override readonly name: string = 'IdsetError'
  readonly at: number

  constructor(problem: string, at: number) {
    super(problem)
    this.at = at
  }
}

/**
 * Returns strictly ascending ids as a canonical idset (Flux RFC 22): maximal ranges, such as `0-17,36`; '' for no ids.
 *
 * @throws IdsetError if the ids do not ascend from 0
 */
export function formatIdset(ids: ArrayLike<number>): string {
  let text = ''
  let previous = -1
  for (let i = 0; i < ids.length;) {
    const start = ids[i]
    if (!(start > previous))
      throw new IdsetError(`ids must ascend from 0: ${start} at index ${i} follows ${previous}`, i)
    let end = start
    for (i++; i < ids.length && ids[i] === end + 1; i++) end++
    if (text !== '') text += ','
    text += end === start ? start : `${start}-${end}`
    previous = end
  }
  return text
}

/**
 * Reads a canonical idset: only the texts of `formatIdset`, so that a set of ids has a single spelling.
 *
 * @param limit number that every id must be below, at most 2^31
 * @throws IdsetError with the place of the fault
 */
export function parseIdset(text: string, limit: number = MAX_IDS): Int32Array {
  buffer.clear()
  if (buffer.read(text, limit)) return buffer.ids.slice(0, buffer.count)
  // The buffer refused the text, so `parseRanges` throws the error with the reason.
  return idsOfRanges(parseRanges(text, 0, text.length, limit, true))
}

/** Returns the number of ids of an idset. @throws IdsetError if the text is not a canonical idset */
export function idsetSize(text: string): number {
  return text === '' ? 0 : parseIdset(text).length
}

/**
 * Reads an idset that a person typed: ranges in any order, overlapping or adjacent, also in brackets.
 *
 * @param limit number that every id must be below, at most 2^31
 * @throws IdsetError with the place of the fault
 */
export function parseIdsetLenient(text: string, limit: number = MAX_IDS): Int32Array {
  const bracketed = text.startsWith('[') && text.endsWith(']') && text.length > 1
  const brackets = bracketed ? 1 : 0
  return idsOfRanges(mergeRanges(parseRanges(text, brackets, text.length - brackets, limit, false)))
}

/** Returns the first and last id of each range of an idset, in a flat list, in the order of the text. */
function parseRanges(text: string, from: number, to: number, limit: number, canonical: boolean): number[] {
  const ranges: number[] = []
  if (from === to) return ranges
  let at = from
  const id = (): number => {
    const start = at
    let value = 0
    for (; at < to; at++) {
      const digit = text.charCodeAt(at) - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      if (value >= limit) throw new IdsetError(`${quote(text)}: id at character ${start} is not below ${limit}`, start)
    }
    if (at === start)
      throw new IdsetError(`${quote(text)}: expected an id at character ${start}, such as 0-17,36`, start)
    if (text[start] === '0' && at - start > 1)
      throw new IdsetError(`${quote(text)}: leading zero at character ${start}`, start)
    return value
  }
  for (;;) {
    const start = at
    const first = id()
    if (canonical && ranges.length > 0) checkFollows(text, start, first, ranges[ranges.length - 1])
    let last = first
    if (text[at] === '-' && at < to) {
      const dash = at++
      last = id()
      if (last <= first)
        throw new IdsetError(`${quote(text)}: range ${first}-${last} at character ${dash} must ascend`, dash)
    }
    ranges.push(first, last)
    if (at === to) return ranges
    if (text[at] !== ',') throw new IdsetError(`${quote(text)}: expected "," or "-" at character ${at}`, at)
    at++
  }
}

function checkFollows(text: string, at: number, first: number, previous: number): void {
  if (first > previous + 1) return
  const rule = first === previous + 1 ? 'adjacent ids must be one range' : 'ids must ascend, without a repeated id'
  throw new IdsetError(
    `${quote(text)} is no canonical idset: ${first} at character ${at} follows ${previous}; ${rule}`,
    at,
  )
}

function mergeRanges(ranges: ReadonlyArray<number>): number[] {
  const pairs: Array<readonly [number, number]> = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i], ranges[i + 1]])
  pairs.sort((a, b) => a[0] - b[0])
  const merged: number[] = []
  for (const [first, last] of pairs) {
    const open = merged.length - 1
    if (open >= 0 && first <= merged[open] + 1) merged[open] = Math.max(merged[open], last)
    else merged.push(first, last)
  }
  return merged
}

function idsOfRanges(ranges: ReadonlyArray<number>): Int32Array {
  let count = 0
  for (let i = 0; i < ranges.length; i += 2) count += ranges[i + 1] - ranges[i] + 1
  const ids = new Int32Array(count)
  let n = 0
  for (let i = 0; i < ranges.length; i += 2) {
    for (let id = ranges[i]; id <= ranges[i + 1]; id++) ids[n++] = id
  }
  return ids
}

const ZERO = 48
const COMMA = 44
const DASH = 45
/**
 * Most ids for which `IdBuffer.clear` keeps memory: a buffer rarely needs the memory for a large machine's ids again.
 */
const MOST_STORED = 2 ** 16

/**
 * Buffer that reads the ids of many canonical idsets into a single array, because `parseIdset` makes an array for each
 * idset. If `read` returns false for a text, `parseIdset` throws an error with the reason for the same text.
 */
export class IdBuffer {
  /**
   * Array of ids: the first `count` entries are the ids added since the last `clear`. The buffer replaces `ids` by a
   * longer array if the ids need more memory, so read `ids` again after each addition.
   */
  ids: Int32Array = new Int32Array(256)
  count = 0

  clear(): void {
    this.count = 0
    if (this.ids.length > MOST_STORED) this.ids = new Int32Array(MOST_STORED)
  }

  /**
   * Appends the ids of a canonical idset, each plus `offset`. Returns false if the text is no canonical idset, or if an
   * id is not below `limit`. After a return of false, the ids before the fault stay in the buffer.
   */
  read(text: string, limit: number, offset: number = 0): boolean {
    const { length } = text
    let previous = -2
    for (let at = 0; at < length; at++) {
      const start = at
      let first = 0
      let digit = text.charCodeAt(at) - ZERO
      for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) first = first * 10 + digit
      if (first >= limit || first <= previous + 1 || isNoNumber(text, start, at)) return false
      let last = first
      if (digit === DASH - ZERO) {
        const second = ++at
        last = 0
        digit = text.charCodeAt(at) - ZERO
        for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) last = last * 10 + digit
        if (last >= limit || last <= first || isNoNumber(text, second, at)) return false
      }
      // A canonical idset has a comma only between two ranges, never at the end.
      if (at < length && (digit !== COMMA - ZERO || at === length - 1)) return false
      this.#addRange(first + offset, last + offset)
      previous = last
    }
    return true
  }

  /** Appends a list of ids to the buffer. @param offset number to add to each id */
  add(ids: ArrayLike<number>, offset: number = 0): void {
    const from = this.count
    this.count += ids.length
    if (this.count > this.ids.length) this.#grow()
    for (let i = 0; i < ids.length; i++) this.ids[from + i] = ids[i] + offset
  }

  #addRange(first: number, last: number): void {
    let n = this.count
    this.count = n + last - first + 1
    if (this.count > this.ids.length) this.#grow()
    const { ids } = this
    for (let id = first; id <= last; id++) ids[n++] = id
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.count)
    larger.set(this.ids)
    this.ids = larger
  }
}

function isNoNumber(text: string, start: number, end: number): boolean {
  return end === start || (end - start > 1 && text.charCodeAt(start) === ZERO)
}

/** Buffer of `parseIdset`. */
const buffer = new IdBuffer()

/** Returns the ids in `a`, in `b` or in both. Arguments and result are strictly ascending. */
export function unionIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length + b.length)
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]
    const y = b[j]
    out[n++] = x < y ? x : y
    if (x <= y) i++
    if (y <= x) j++
  }
  while (i < a.length) out[n++] = a[i++]
  while (j < b.length) out[n++] = b[j++]
  return out.slice(0, n)
}

/** Returns the ids in both `a` and `b`, two strictly ascending lists. */
export function intersectIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(Math.min(a.length, b.length))
  let n = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const x = a[i]
    const y = b[j]
    if (x === y) out[n++] = x
    if (x <= y) i++
    if (y <= x) j++
  }
  return out.slice(0, n)
}

/** Returns the ids in `a` and not in `b`, two strictly ascending lists. */
export function subtractIdsets(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length)
  let n = 0
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j === b.length || b[j] !== a[i]) out[n++] = a[i]
  }
  return out.slice(0, n)
}

/** Returns true if strictly ascending ids include `id`, by binary search. */
export function idsetIncludes(ids: Int32Array, id: number): boolean {
  const at = lowerBound(ids.length, (place) => ids[place] < id)
  return at < ids.length && ids[at] === id
}

/**
 * Returns the first index from 0 to `count` - 1 for which `isBefore` is false; `count` if there is none. The search is
 * binary: `isBefore` must be true for all indices below some index, and false from this index on.
 *
 * @example lowerBound(4, (at) => [10, 20, 20, 30][at] < 20) // 1: where 20 is, or would be inserted
 */
export function lowerBound(count: number, isBefore: (place: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
