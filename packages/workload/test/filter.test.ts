import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Filter,
  formatArrivals,
  formatFilter,
  narrowFilter,
  parseArrivals,
  parseFilter,
  SpecError,
} from '../src/index.ts'
import { arrivalTime } from '../src/specs.ts'
import { filterFields } from '../src/condition.ts'

const number = fc.oneof(
  fc.constant(-1),
  fc.nat(),
  fc.nat(1_000_000).map((thousandths) => thousandths / 1000),
)
const condition = fc.record({
  field: fc.constantFrom(...filterFields),
  operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
  value: number,
})
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    size: fc.record(
      {
        from: fc.constantFrom('requested', 'allocated'),
        procsPerNode: fc.integer({ min: 1, max: 999_999_999 }),
        times: fc.integer({ min: 2, max: 999 }),
      },
      { requiredKeys: ['from', 'procsPerNode'] },
    ),
    conditions: fc.array(condition, { maxLength: 5 }),
    alternatives: fc.array(fc.array(condition, { minLength: 2, maxLength: 3 }), { maxLength: 2 }),
    from: fc.nat(2_000_000_000),
    until: fc.nat(20_000).map((days) => days * 86_400),
    firstDays: fc.integer({ min: 1, max: 10_000_000 }).map((thousandths) => thousandths / 1000),
    firstJobs: fc.integer({ min: 1 }),
    powersOfTwo: fc.constant(true as const),
    sample: fc.record({ jobs: fc.integer({ min: 1, max: 999_999_999 }), seed: fc.nat(999_999_999) }),
    estimates: fc.integer({ min: 2, max: 999 }),
    minutes: fc.nat(59),
  },
  { requiredKeys: ['conditions'] },
)

test('formatFilter spells a filter that parseFilter read from a canonical spelling in the same way', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const text = formatFilter(filter)
      expect(formatFilter(parseFilter(text))).toBe(text)
    }),
  )
})

test('the order, repetition and white space of terms do not change the canonical spelling of a filter', () => {
  fc.assert(
    fc.property(filters, fc.infiniteStream(fc.nat()), (filter, random) => {
      const terms = formatFilter({ size: { from: 'allocated', procsPerNode: 2 }, ...filter }).split(',')
      const shuffled = [...terms, terms[0]]
        .map((term) => ({ term, rank: random.next().value }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ term }) => term.replace(/([!<>=]+)/, ' $1  '))
      expect(formatFilter(parseFilter(shuffled.join(' , ')))).toBe(terms.join(','))
    }),
  )
})

function spelled(text: string): string {
  return formatFilter(parseFilter(text))
}

test('formatFilter spells examples of every term', () => {
  expect(spelled('')).toBe('')
  expect(spelled('size=requested')).toBe('')
  expect(spelled('size=requested/1')).toBe('')
  expect(spelled('size=allocated')).toBe('size=allocated')
  expect(spelled('nodes<=1024, runtime>0,status != 5,size=requested/8')).toBe(
    'size=requested/8,status!=5,runtime>0,nodes<=1024',
  )
  expect(spelled('times=minutes,sample=200:1,nodes=power-of-two,size=requested/8*2,first-jobs=9')).toBe(
    'size=requested/8*2,nodes=power-of-two,first-jobs=9,sample=200,times=minutes',
  )
  expect(spelled('times=minutes,estimates=requested*5,sample=9:2')).toBe(
    'sample=9:2,estimates=requested*5,times=minutes',
  )
  expect(spelled('times=minutes+07')).toBe('times=minutes+7')
  expect(spelled('times=minutes+0')).toBe('times=minutes')
  expect(spelled('size=requested*3,sample=20:7')).toBe('size=requested*3,sample=20:7')
  expect(spelled('user=7|3|user=3, nodes>64 | status=1|status=-4')).toBe('status=-4|1|nodes>64,user=3|7')
  // A list of equal alternatives counts as one condition, and its spelling stands among the conditions.
  expect(spelled('nodes<4|nodes<4.0,allocated=0|job=0')).toBe('nodes<4,allocated=0|job=0')
  expect(spelled('nodes<4|nodes<4,nodes<4')).toBe('nodes<4')
  expect(spelled('user=bob|alice|3,partition!=debug')).toBe('partition!=debug,user=3|alice|bob')
  expect(spelled('until=2004-03-01T00:00:00,from=2004-02-29T12:30:00,runtime>0')).toBe(
    'runtime>0,from=2004-02-29T12:30:00,until=2004-03-01',
  )
  expect(spelled('first-jobs=1000,first-of-size=7,first-days=0.50,walltime>=1.500,status!=5,status!=0')).toBe(
    'status!=0,status!=5,walltime>=1.5,first-days=0.5,first-of-size=7,first-jobs=1000',
  )
})

test('narrowFilter adds the terms of the second filter, and replaces size and limits of the first filter', () => {
  const narrowed = narrowFilter(
    parseFilter('size=requested/4,status!=5,first-jobs=10'),
    parseFilter('size=allocated/2,status!=0,first-jobs=5,first-days=1'),
  )
  expect(formatFilter(narrowed)).toBe('size=allocated/2,status!=0,status!=5,first-days=1,first-jobs=5')
  expect(formatFilter(narrowFilter(parseFilter('size=requested/4,runtime>0'), parseFilter('')))).toBe(
    'size=requested/4,runtime>0',
  )
})

test.each([
  ['status', 'a term like'],
  ['user=3|', 'comparisons of status, runtime'],
  ['|', 'comparisons of status, runtime'],
  ['user=3|first-jobs=5', 'comparisons of status, runtime'],
  ['nodes=1|power-of-two', 'a number of at least 0'],
  ['user<alice', 'a number of at least 0'],
  ['runtime=long', 'a number of at least 0'],
  ['user=-4', 'a number of at least 0'],
  ['from=2004-02-30', 'a date from 1970 on'],
  ['until=0070-01-01', 'a date from 1970 on'],
  ['from=2004', 'a date from 1970 on'],
  ['until<2004-02-01', "'until='"],
  ['from=2004-02-01,from=2004-02-02', 'the term only once'],
  ['status!5', 'a term like'],
  ['status!=5,', 'a term like'],
  ['Status=5', 'a term like'],
  ['run-time>0', 'one of the fields status, runtime'],
  ['constructor=1', 'one of the fields status, runtime'],
  ['status!=five', 'a number of at least 0'],
  ['runtime>-2', 'a number of at least 0'],
  ['runtime>1e3', 'a number of at least 0'],
  ['runtime>0.0001', 'a number of at least 0'],
  ['size>4', "'size='"],
  ['size=procs/4', "'size=requested/N'"],
  ['size=requested/0', "'size=requested/N'"],
  ['size=requested/4.5', "'size=requested/N'"],
  ['first-days=0', 'a number of days above 0'],
  ['first-jobs=1.5', 'a whole number of jobs above 0'],
  ['first-jobs<=10', "'first-jobs='"],
  ['first-jobs=10,first-jobs=11', 'the term only once'],
  ['size=requested/4,size=requested/8', 'the term only once'],
  ['size=requested/4*0', "'*2' at the end"],
  ['sample=0', "'sample=JOBS'"],
  ['sample=5:-1', "'sample=JOBS'"],
  ['sample=5,sample=6', 'the term only once'],
  ['times=hours', "'times=minutes'"],
  ['times=minutes+60', "'times=minutes+59'"],
  ['estimates=requested', 'from 2 to 999'],
  ['estimates=requested*1', 'from 2 to 999'],
  ['estimates=requested*2,estimates=requested*5', 'the term only once'],
  ['nodes!=power-of-two', 'a number of at least 0'],
])('parseFilter refuses the filter %s', (text, expected) => {
  expect(() => parseFilter(text)).toThrow(SpecError)
  expect(() => parseFilter(text)).toThrow(expected)
})

test('parseFilter reads every text or refuses the text with a SpecError', () => {
  const texts = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('status', 'size', 'first-days', '=', '!=', '<', '/', ',', ' ', '5', 'requested', '-1'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      for (const parse of [parseFilter, parseArrivals]) {
        try {
          parse(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SpecError)
        }
      }
    }),
  )
})

test('parseArrivals reads, formatArrivals spells and arrivalTime applies arrivals', () => {
  for (const text of ['trace', 'zero', 'scale:0.5', 'scale:2', 'scale:0.000001'])
    expect(formatArrivals(parseArrivals(text))).toBe(text)
  expect(formatArrivals(parseArrivals('scale:1.0'))).toBe('trace')
  for (const text of ['', 'none', 'scale', 'scale:', 'scale:0', 'scale:-1', 'scale:1e3', 'scale:0.0000001'])
    expect(() => parseArrivals(text)).toThrow(SpecError)
  expect([1, 2, 3].map((submit) => arrivalTime(parseArrivals('scale:0.5'), submit))).toEqual([1, 1, 2])
  expect(arrivalTime(parseArrivals('zero'), 7)).toBe(0)
  expect(arrivalTime(parseArrivals('trace'), 7)).toBe(7)
})
