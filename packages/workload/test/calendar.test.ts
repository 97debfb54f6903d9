import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoment, parseMoment } from '../src/specs.ts'

/** Last second of the year 9999. */
const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

test('formatMoment agrees with the proleptic Gregorian calendar, and parseMoment reads the texts of formatMoment', () => {
  const seconds = fc.oneof(
    fc.integer({ min: 0, max: last }),
    fc.integer({ min: 0, max: Math.floor(last / 86_400) }).map((days) => days * 86_400),
  )
  fc.assert(
    fc.property(seconds, (moment) => {
      const iso = new Date(moment * 1000).toISOString().slice(0, 19)
      expect(formatMoment(moment)).toBe(iso.replace(/T00:00:00$/, ''))
      expect([parseMoment(iso), parseMoment(formatMoment(moment))]).toEqual([moment, moment])
    }),
  )
})

test.each(['', '2004', '2004-02-30', '1900-02-29', '1969-12-31', '2004-13-01', '2004-1-1', '2004-02-01T24:00:00'])(
  'parseMoment returns undefined for the text %j',
  (text) => {
    expect(parseMoment(text)).toBeUndefined()
  },
)
