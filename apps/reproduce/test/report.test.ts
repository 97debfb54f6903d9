import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawBarChart } from '../src/report/bar-chart.ts'
import type { Bar, BarChart } from '../src/report/bar-chart.ts'
import { compare, state } from '../src/report/comparison.ts'
import { comparisonTable } from '../src/report/comparison-table.ts'
import { formatSvg, svg } from '../src/report/svg.ts'

const series = [
  { name: 'A', color: '#111111' },
  { name: 'B & C', color: '#222222' },
]
const chart = (...bars: ReadonlyArray<Bar | null>): BarChart => ({
  series,
  panels: [{ title: 'panel', groups: [{ name: 'group', bars }] }],
  axis: { label: 'share', from: 0.5, to: 1, step: 0.25, unit: 'ratio', digits: 2, reference: 0.75 },
})
/** Height and colour of every bar. */
const bars = (drawing: string): ReadonlyArray<readonly [height: number, fill: string]> =>
  [...drawing.matchAll(/<rect x="[\d.]+" y="[\d.]+" width="12" height="([\d.]+)" fill="([^"]+)"[^>/]*>$/gm)].map(
    ([, height, fill]) => [Number(height), fill],
  )

/** Whether every element that opens closes in its turn. */
function isNested(drawing: string): boolean {
  const open: Array<string> = []
  for (const [, closing, name, empty] of drawing.matchAll(/<(\/?)([a-z]+)(?: [a-zA-Z0-9:-]+="[^"<>]*")*(\/?)>/g)) {
    if (closing === '/' && open.pop() !== name) return false
    if (closing === '' && empty === '') open.push(name)
  }
  return open.length === 0 && !/[<>]/.test(drawing.replaceAll(/<\/?[a-z]+(?: [a-zA-Z0-9:-]+="[^"<>]*")*\/?>/g, ''))
}

describe('a bar chart', () => {
  it('has bars as high as their values, inside the axis', () => {
    const drawn = (...all: ReadonlyArray<Bar | null>): ReadonlyArray<readonly [number, string]> =>
      bars(drawBarChart(chart(...all)))
    expect(drawn({ value: 1 }, { value: 0.75 })).toEqual([
      [220, '#111111'],
      [110, '#222222'],
    ])
    expect(drawn(null, { value: 0.4 })).toEqual([[0, '#222222']])
    expect(drawn({ value: 0.75, outline: 1 }, null)).toEqual([
      [220, 'white'],
      [110, '#111111'],
    ])
    expect(drawn({ value: 3 }, null)).toEqual([[220, '#111111']])
    expect(drawBarChart(chart({ value: 3 }, null))).toMatch(/rotate\(-90\)[^>]*>3\.00</)
    expect(drawBarChart(chart({ value: 1 }, null))).not.toMatch(/rotate\(-90\)[^>]*>1\.00</)
  })

  it('is well-formed, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(isNested(formatSvg(10, 10, svg('g', { id: a, x: 1 / 3 }, svg('text', {}, b), svg('path', {}))))).toBe(
          true,
        )
      }),
    )
    expect(isNested(drawBarChart(chart({ value: 0.6, outline: 0.8 }, { value: 9 })))).toBe(true)
    expect(isNested('<g><a></g>')).toBe(false)
  })
})

describe('a comparison', () => {
  it('measures from the nearer end of what the paper states', () => {
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

  it('shows what is known and counts the rest', () => {
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
