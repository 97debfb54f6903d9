import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatIdset,
  idsetIncludes,
  IdsetError,
  intersectIdsets,
  parseIdset,
  parseIdsetLenient,
  subtractIdsets,
  unionIdsets,
} from '../src/index.ts'
import { nearly } from './arbitraries.ts'

const ascending = (ids: Iterable<number>): Int32Array => Int32Array.from([...new Set(ids)].sort((a, b) => a - b))
/** Random sets of ids, dense enough for ranges and sparse enough for gaps. */
const idsets = fc.array(fc.nat(60), { maxLength: 50 }).map(ascending)

/** Returns ids as the canonical idset of Flux RFC 22, by a pass over all possible ids. */
function naiveFormat(ids: Int32Array): string {
  const parts: string[] = []
  for (let id = 0; id <= 61; id++) {
    if (!ids.includes(id) || ids.includes(id - 1)) continue
    let last = id
    while (ids.includes(last + 1)) last++
    parts.push(last === id ? `${id}` : `${id}-${last}`)
  }
  return parts.join()
}

describe('the text of an idset', () => {
  test('formatIdset writes canonical idsets, and parseIdset reads the same ids from the text', () => {
    fc.assert(
      fc.property(idsets, (ids) => {
        const text = formatIdset(ids)
        expect(text).toBe(naiveFormat(ids))
        expect(parseIdset(text)).toEqual(ids)
        expect(parseIdsetLenient(text)).toEqual(ids)
        expect(parseIdsetLenient(`[${text}]`)).toEqual(ids)
        expect(formatIdset([...ids])).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  test('parseIdset accepts a text only if formatIdset writes the same text', () => {
    const texts = fc.oneof(
      idsets.chain((ids) => nearly(formatIdset(ids))),
      fc.array(fc.constantFrom(...'0123459,-[] '.split('')), { maxLength: 8 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(formatIdset(parseIdset(text, 10_000))).toBe(text)
        } catch (error) {
          expect(error).toBeInstanceOf(IdsetError)
          expect((error as IdsetError).at).toBeGreaterThanOrEqual(0)
          expect((error as IdsetError).at).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['0-17,36', '', '0', '10-11', '4194303'])('the idset %j is canonical', (text) => {
    expect(formatIdset(parseIdset(text))).toBe(text)
  })

  test.each([
    ['1,2', 'adjacent ids must be one range', 2],
    ['1-2,3', 'adjacent ids must be one range', 4],
    ['2,1', 'ids must ascend', 2],
    ['1-3,2', 'ids must ascend', 4],
    ['1,1', 'ids must ascend', 2],
    ['5-3', 'range 5-3', 1],
    ['5-5', 'range 5-5', 1],
    ['01', 'leading zero', 0],
    ['1-02', 'leading zero', 2],
    ['00', 'leading zero', 0],
    [' 1', 'expected an id at character 0', 0],
    ['1, 3', 'expected an id at character 2', 2],
    ['1 ', 'expected "," or "-" at character 1', 1],
    ['[1]', 'expected an id at character 0', 0],
    ['1,', 'expected an id at character 2', 2],
    [',', 'expected an id at character 0', 0],
    ['-1', 'expected an id at character 0', 0],
    ['1-', 'expected an id at character 2', 2],
    ['1-3-5', 'expected "," or "-" at character 3', 3],
    ['1.5', 'expected "," or "-" at character 1', 1],
    ['1e3', 'expected "," or "-" at character 1', 1],
    ['４', 'expected an id at character 0', 0],
    ['4194304', 'not below 4194304', 0],
    ['0-99999999999999999999', 'not below 4194304', 2],
  ])('parseIdset refuses the text %j', (text, message, at) => {
    expect(() => parseIdset(text)).toThrow(IdsetError)
    expect(() => parseIdset(text)).toThrow(message)
    expect(() => parseIdset(text)).toThrow(expect.objectContaining({ _tag: 'IdsetError', at }))
  })

  test('parseIdset refuses a text with an id that reaches the limit', () => {
    expect([...parseIdset('6-7', 8)]).toEqual([6, 7])
    expect(() => parseIdset('6-8', 8)).toThrow('id at character 2 is not below 8')
    expect(() => parseIdsetLenient('8', 8)).toThrow(IdsetError)
  })

  test('formatIdset refuses ids that do not ascend', () => {
    for (const ids of [[1, 1], [2, 1], [-1], [NaN], [0, 1, 3, 2]]) expect(() => formatIdset(ids)).toThrow(IdsetError)
  })

  test('parseIdsetLenient reads ranges in any order, also overlapping ranges', () => {
    const ranges = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 5 })), { maxLength: 12 })
    fc.assert(
      fc.property(ranges, (all) => {
        const text = all.map(([first, extra]) => (extra === 1 ? `${first}` : `${first}-${first + extra - 1}`)).join()
        const ids = ascending(all.flatMap(([first, extra]) => Array.from({ length: extra }, (_, i) => first + i)))
        expect(parseIdsetLenient(text)).toEqual(ids)
        expect(parseIdsetLenient(`[${text}]`)).toEqual(ids)
      }),
    )
    for (const text of ['[1', '1]', '[', ']', '[1],[2]', '07', '3-1', '1 2'])
      expect(() => parseIdsetLenient(text)).toThrow(IdsetError)
  })

  test('parseIdsetLenient returns each id once, also for many overlapping ranges', () => {
    const { user } = process.cpuUsage()
    expect(parseIdsetLenient(Array(2000).fill('0-999999').join()).length).toBe(1_000_000)
    expect(process.cpuUsage().user - user, 'microseconds of work').toBeLessThan(10_000_000)
  })
})

test('unionIdsets, intersectIdsets, subtractIdsets and idsetIncludes agree with JavaScript sets', () => {
  fc.assert(
    fc.property(idsets, idsets, fc.nat(60), (a, b, id) => {
      const [x, y] = [new Set(a), new Set(b)]
      expect(unionIdsets(a, b)).toEqual(ascending([...a, ...b]))
      expect(intersectIdsets(a, b)).toEqual(a.filter((each) => y.has(each)))
      expect(subtractIdsets(a, b)).toEqual(a.filter((each) => !y.has(each)))
      expect(idsetIncludes(a, id)).toBe(x.has(id))
    }),
    { numRuns: 500 },
  )
})
