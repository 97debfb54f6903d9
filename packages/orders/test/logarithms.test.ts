import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exp2, log10, log2 } from '../src/logarithms.ts'

/** Most difference to `Math`, relative, with 1 as the least size. */
const MOST = 1e-15
const isNear = (value: number, other: number, most: number = MOST): boolean =>
  Math.abs(value - other) <= most * Math.max(1, Math.abs(other))

test('log2 and log10 equal the functions of Math, up to the last bits', () => {
  fc.assert(
    fc.property(fc.double({ min: 2 ** -1000, max: Number.MAX_VALUE, noNaN: true }), (value) => {
      expect(isNear(log2(value), Math.log2(value))).toBe(true)
      expect(isNear(log10(value), Math.log10(value))).toBe(true)
    }),
    { numRuns: 2000 },
  )
  expect(log2(Infinity)).toBe(Infinity)
  expect([1, 2, 1024, 0.25].map(log2)).toEqual([0, 1, 10, -2])
})

test('exp2 equals 2 ** x up to the last bits, and is exact for integers', () => {
  fc.assert(
    fc.property(fc.double({ min: -1000, max: 1000, noNaN: true }), (exponent) => {
      expect(Math.abs(exp2(exponent) / 2 ** exponent - 1)).toBeLessThanOrEqual(MOST)
    }),
    { numRuns: 2000 },
  )
  for (let whole = -1022; whole < 1024; whole++) expect(exp2(whole)).toBe(2 ** whole)
  expect([exp2(-5000), exp2(5000)]).toEqual([0, Infinity])
})
