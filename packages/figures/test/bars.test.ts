import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { type Bars, drawBars, drawBarsInParts } from '../src/bars.ts'
import { document, isNested } from './drawings.ts'

type Bar = Bars['panels'][number]['groups'][number]['bars'][number]

const chart = (...bars: ReadonlyArray<Bar>): Bars => ({
  series: [
    { name: 'A', color: '#111111' },
    { name: 'B & C', color: '#222222' },
  ],
  panels: [{ title: 'panel', groups: [{ name: 'group', bars }] }],
  axis: { label: 'share', from: 0.5, to: 1, step: 0.25, unit: 'ratio', digits: 2, reference: 0.75 },
})

/** Returns the height and the title of every bar in a picture. */
const barsOf = (drawing: string): ReadonlyArray<readonly [height: number, title: string]> =>
  [...drawing.matchAll(/<rect [^>]*height="([\d.]+)"[^>]*><title>([^<]*)<\/title>/g)].map(([, height, title]) => [
    Number(height),
    title,
  ])

describe('a chart of bars', () => {
  it('a chart of bars has bars of heights in proportion to the values, inside the axis', () => {
    const drawn = (...all: ReadonlyArray<Bar>): ReadonlyArray<readonly [number, string]> =>
      barsOf(drawBars(document, chart(...all)))
    const [[full], [half]] = drawn({ value: 1 }, { value: 0.75 })
    expect(full).toBeGreaterThan(100)
    expect(half).toBeCloseTo(full / 2, 1)
    expect(drawn(null, { value: 0.4 })).toEqual([[0, 'B &amp; C: 0.40']])
    expect(drawn({ value: 0.75, outline: 1 }, null)).toEqual([
      [full, 'A: 0.75, 1.00'],
      [half, 'A: 0.75'],
    ])
    expect(drawn({ value: 3 }, null)).toEqual([[full, 'A: 3.00']])
    expect(drawBars(document, chart({ value: 3 }, null))).toMatch(/rotate\(-90\)[^>]*>3\.00</)
    expect(drawBars(document, chart({ value: 1 }, null))).not.toMatch(/rotate\(-90\)[^>]*>1\.00</)
  })

  it('parts of a chart have the bars of the chart, in order, and no part with several groups is too wide', () => {
    const numbers = { minLength: 1, maxLength: 9 }
    const drawn = fc.array(
      fc.array(fc.double({ min: 0.5, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 }),
      numbers,
    )
    fc.assert(
      fc.property(drawn, fc.integer({ min: 150, max: 500 }), (values, width) => {
        const groups = values.map((pair, at) => ({ name: `group ${at}`, bars: pair.map((value) => ({ value })) }))
        const whole = { ...chart(), panels: [{ title: '', groups }] }
        const parts = drawBarsInParts(document, whole, width, 'white')
        const titles = (drawing: string): ReadonlyArray<string> => barsOf(drawing).map(([, title]) => title)
        expect(parts.flatMap(titles)).toEqual(titles(drawBars(document, whole)))
        for (const part of parts) {
          const own = Number(/ width="([\d.]+)"/.exec(part)![1])
          if (titles(part).length > 2) expect(own).toBeLessThanOrEqual(width)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('a chart of bars is well-formed', () => {
    expect(isNested(drawBars(document, chart({ value: 0.6, outline: 0.8 }, { value: 9 })))).toBe(true)
  })
})
