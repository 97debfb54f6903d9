import { describe, expect, it } from 'vitest'
import { count, duration, durations } from '../src/terminal/quantities.ts'

describe('durations, the format of compared times', () => {
  it.each([
    [
      [35 * 60, 11 * 3600],
      ['35.00 min', '660.00 min'],
    ],
    [
      [237_420, 245_700],
      ['65.95 h', '68.25 h'],
    ],
    [
      [5, 3 * 86_400],
      ['5 s', '259,200 s'],
    ],
    [
      [0, null, 50 * 3600],
      ['0.00 h', '-', '50.00 h'],
    ],
    [[0], ['0 s']],
    [[null], ['-']],
    [[], []],
  ])('durations formats the seconds %j in one unit', (seconds, shown) => {
    expect(durations(seconds)).toEqual(shown)
  })

  it('durations formats a single time like duration', () => {
    for (const seconds of [null, 0, 0.25, 599, 600, 36_000, 864_000])
      expect(durations([seconds])).toEqual([duration(seconds)])
  })
})

describe('count, the format of numbers', () => {
  it.each([0, 7, 999, 1000, 1_234_567, -1000, 0.5, 1234.5, 999_999.999, 1e15, 2 ** 53, 12_345.0625])(
    'count formats %d like toLocaleString of the locale en-US',
    (value) => {
      expect(count(value)).toBe(value.toLocaleString('en-US'))
    },
  )
})
