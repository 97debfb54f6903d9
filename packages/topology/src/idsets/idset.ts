import { MAX_IDS } from '../limits.ts'
import { IdBuffer } from './id-buffer.ts'
import { quote } from '../topology-error.ts'

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

const buffer = new IdBuffer()

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
