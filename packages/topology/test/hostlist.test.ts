import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countHostlist, formatHostlist, HostlistError, parseHostlist } from '../src/index.ts'
import { compareNaturally } from '../src/names.ts'
import { nearly } from './arbitraries.ts'

const plainName = fc.string({
  unit: fc.constantFrom('c', 'n', '-', '_', '.', 'é', '0', '1', '9'),
  minLength: 1,
  maxLength: 6,
})
/**
 * Random names of nodes as clusters have them: long runs of numbers, gaps, leading zeros and suffixes, in and out of
 * order.
 */
const run = fc
  .record({
    prefix: fc.constantFrom('cab', 'cn', 'r1n', ''),
    suffix: fc.constantFrom('', '', '-ib'),
    first: fc.nat(120),
    count: fc.integer({ min: 1, max: 12 }),
    width: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ prefix, suffix, first, count, width }) =>
    Array.from({ length: count }, (_, i) => prefix + String(first + i).padStart(width, '0') + suffix),
  )
const names = fc
  .array(
    fc.oneof(
      run,
      plainName.map((name) => [name]),
    ),
    { maxLength: 6 },
  )
  .map((runs) => runs.flat())

test('countHostlist counts the names of parseHostlist, and throws the same errors', () => {
  const text = fc.oneof(
    names.map(formatHostlist),
    fc.string({ unit: fc.constantFrom('c', '[', ']', ',', '-', '1', '0', ' '), maxLength: 12 }),
  )
  const answer = (make: () => number): number | string => {
    try {
      return make()
    } catch (error) {
      return (error as HostlistError).message
    }
  }
  fc.assert(
    fc.property(text, fc.nat(30), (hostlist, limit) => {
      const count = answer(() => countHostlist(hostlist, limit))
      expect(count).toEqual(answer(() => parseHostlist(hostlist, limit).length))
    }),
    { numRuns: 1000 },
  )
})

test('parseHostlist reads the names that formatHostlist wrote, with their order, repeats and leading zeros', () => {
  fc.assert(
    fc.property(names, (all) => {
      expect(parseHostlist(formatHostlist(all))).toEqual(all)
    }),
    { numRuns: 500 },
  )
})

describe('a hostlist', () => {
  test.each([
    ['', []],
    ['cab7', ['cab7']],
    ['cab[1-3,5]', ['cab1', 'cab2', 'cab3', 'cab5']],
    ['cn[001-003,040]', ['cn001', 'cn002', 'cn003', 'cn040']],
    ['cn[08-11]', ['cn08', 'cn09', 'cn10', 'cn11']],
    ['cn[9-10]', ['cn9', 'cn10']],
    ['cn[3,1]', ['cn3', 'cn1']],
    ['n[1-2]-ib,login', ['n1-ib', 'n2-ib', 'login']],
  ])('formatHostlist writes, and parseHostlist reads, the hostlist %j', (text, all) => {
    expect(parseHostlist(text)).toEqual(all)
    expect(formatHostlist(all)).toBe(text)
  })

  test.each([
    ['cn[5]', ['cn5']],
    ['r[0-1]n[1-2]', ['r0n1', 'r0n2', 'r1n1', 'r1n2']],
    ['a,b[1],c', ['a', 'b1', 'c']],
    ['n[1,1]', ['n1', 'n1']],
    ['[1-2]', ['1', '2']],
  ])('parseHostlist reads the hostlist %j', (text, all) => expect(parseHostlist(text)).toEqual(all))

  test('formatHostlist writes fourteen consecutive names of Cab as one range', () => {
    expect(formatHostlist([...Array(14).keys(), 15, 16].map((i) => `cab${i + 1}`))).toBe('cab[1-14,16-17]')
  })
})

describe('HostlistError', () => {
  test.each([
    ['cn[1-', '"[" at character 2 is never closed'],
    ['cn1]', '"]" at character 3 closes nothing'],
    ['cn[1[2]]', '"[" at character 4 within the brackets that opened at 2'],
    ['cn[]', '"" at character 3 is no range of numbers, such as 001-032'],
    ['cn[1,]', '"" at character 5 is no range'],
    ['cn[a-b]', '"a-b" at character 3 is no range'],
    ['cn[3-1]', '"3-1" at character 3 must ascend'],
    ['cn[1-010]', 'has ends of different widths'],
    ['cn[001-09]', 'has ends of different widths'],
    ['a,,b', 'expected a name at character 2'],
    ['a,', 'expected a name at character 2'],
    [',', 'expected a name at character 0'],
    ['a b', 'has white space'],
    ['a, b', 'has white space'],
    ['cn[1-9999999999]', 'makes more names than'],
    [`a${'[0-9]'.repeat(12)}`, 'makes more names than'],
  ])('parseHostlist throws a HostlistError for the text %j', (text, message) => {
    expect(() => parseHostlist(text)).toThrow(HostlistError)
    expect(() => parseHostlist(text)).toThrow(message)
  })

  test('parseHostlist throws a HostlistError for more names than the limit', () => {
    expect(parseHostlist('n[1-3],m', 4)).toHaveLength(4)
    expect(() => parseHostlist('n[1-3],m', 3)).toThrow('more than 3 names')
    expect(() => parseHostlist('n[1-3],m[1-2]', 4)).toThrow('makes more names than the 1 still allowed')
  })

  test('formatHostlist throws a HostlistError for names that fit in no hostlist', () => {
    for (const name of ['', 'a b', 'a,b', 'a[1]', 'a#', 'a=b', 'a"', 'a\\', 'a\n'])
      expect(() => formatHostlist(['ok', name])).toThrow(HostlistError)
  })

  test('parseHostlist throws no other error than a HostlistError, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly('cab[1-14,16-19],r[0-1]n[001-032]-ib,login')), (text) => {
        try {
          expect(parseHostlist(formatHostlist(parseHostlist(text, 5000)))).toEqual(parseHostlist(text))
        } catch (error) {
          expect(error).toBeInstanceOf(HostlistError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('parseHostlist reads or refuses long texts within 20 s of processor time', () => {
    const { user } = process.cpuUsage()
    expect(parseHostlist(Array(100_000).fill('node').join())).toHaveLength(100_000)
    expect(() => parseHostlist('['.repeat(1_000_000))).toThrow(HostlistError)
    expect(() => parseHostlist(`${'a[1]'.repeat(20_000)} `)).toThrow(HostlistError)
    expect(process.cpuUsage().user - user, 'microseconds of work').toBeLessThan(20_000_000)
  })
})

describe('compareNaturally, the natural order of names,', () => {
  test('compareNaturally compares runs of digits as numbers', () => {
    const sorted = ['cn1', 'cn01', 'cn2', 'cn9', 'cn10', 'cn010', 'cn100', 'cn', 'a10b', 'a9b', 'a9', ''].sort(
      compareNaturally,
    )
    expect(sorted).toEqual(['', 'a9', 'a9b', 'a10b', 'cn', 'cn1', 'cn01', 'cn2', 'cn9', 'cn10', 'cn010', 'cn100'])
  })

  test('compareNaturally is a total order', () => {
    fc.assert(
      fc.property(plainName, plainName, plainName, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0)
        expect(compareNaturally(a, b) === 0).toBe(a === b)
        if (compareNaturally(a, b) < 0 && compareNaturally(b, c) < 0) expect(compareNaturally(a, c)).toBeLessThan(0)
      }),
      { numRuns: 1000 },
    )
  })
})
