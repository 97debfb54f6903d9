import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, comparisonTable, state } from '../src/report/comparison.ts'

describe('the comparison with a paper', () => {
  it('compare returns our value minus the nearer end of the paper’s range, and 0 inside the range', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b, ours) => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)]
          const { difference } = compare('1', 'x', 'share', { low, high }, ours)
          if (ours < low) expect(difference).toBe(ours - low)
          else if (ours > high) expect(difference).toBe(ours - high)
          else expect(difference).toBe(0)
        },
      ),
    )
    expect(compare('1', 'x', 'seconds', 0.001, 0.00002).difference).toBeCloseTo(0.02)
    expect(compare('1', 'x', 'count', 5, undefined)).toMatchObject({ ours: null, difference: null })
  })

  it('comparisonTable has a row for each comparison with a value of ours, and counts the other comparisons', () => {
    const { heading, rows, note } = comparisonTable([
      compare('6.1', 'a share', 'share', { low: 0.95, high: 0.96 }, 0.9321),
      compare('6.1', 'another', 'share', 0.92, 0.9199),
      compare('6', 'a lead', 'points', { low: 0.03, high: 0.05 }, 0.06),
      compare('6.2', 'a ratio', 'ratio', { low: 0, high: 1 }, 0.87),
      compare('1', 'a number', 'count', 10_000, 9921),
      compare('6.4', 'a time', 'seconds', 0.001, 0.00002),
      state('6.3', 'a statement', false),
      compare('6.2', 'unknown', 'ratio', 1, null),
      state('6.3', 'unknown', undefined),
    ])
    expect(heading).toEqual(['section', 'what the paper states', 'paper', 'here', 'difference'])
    expect(rows).toEqual([
      ['6.1', 'a share', '95.0 to 96.0 %', '93.2 %', '-1.8'],
      ['6.1', 'another', '92.0 %', '92.0 %', '0'],
      ['6', 'a lead', '3.0 to 5.0 points', '6.0 points', '+1.0'],
      ['6.2', 'a ratio', 'under 1.000', '0.870', '0'],
      ['1', 'a number', '10,000', '9,921', '-79'],
      ['6.4', 'a time', '1,000 µs', '20 µs', '1/50'],
      ['6.3', 'a statement', '', 'does not hold', ''],
    ])
    expect(note).toBe(
      '2 more statements of the paper are about traces or policies that are not at hand (--json lists them).',
    )
  })
})
