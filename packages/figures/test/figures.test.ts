import { Ajv } from 'ajv'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { comparisonFigure } from '../src/comparison.ts'
import { bySizeFigure, ecdfFigure } from '../src/distributions.ts'
import type { Figure } from '../src/figure.ts'
import { ganttFigure } from '../src/gantt.ts'
import { nodeTimeSharesFigure, queueFigure } from '../src/over-time.ts'
import { csvOf } from '../src/csv.ts'
import { vegaLiteOf } from '../src/vega-lite.ts'
import { drawn, isNested } from './drawings.ts'

/** Figures of all shapes, for the values of one run with a name. */
function figuresOf(name: string, values: ReadonlyArray<number>): ReadonlyArray<Figure> {
  const run = { name, values, sizes: values.map((_, at) => 1 + at) }
  const t = values.map((_, at) => 60 * at)
  const jobs = values.map((value, at) => ({ job: `${name}${at}`, start: at, end: at + value, ranges: [at, at + 1] }))
  return [
    bySizeFigure([run], { label: 'wait', unit: 1 }),
    ecdfFigure([run], { label: 'wait', unit: 1, scale: 'linear' }),
    queueFigure([{ name, t, jobs: values, nodes: values }], { epoch: 1.7e9 }),
    nodeTimeSharesFigure([{ name, shares: [0.5, 0.1, 0.1, 0.1, 0.1, 0.1] }]),
    ganttFigure([{ name, nodes: values.length + 2, jobs, down: [{ start: 0, end: 1, ranges: [0, 0] }] }]),
    comparisonFigure([{ name, mean: 3, half: 1, values, beside: 4 }], {
      label: name,
      metric: 'wait.mean',
      unit: 'seconds',
    }),
    comparisonFigure([{ name, series: name, mean: 3, half: null, values }], {
      label: name,
      metric: 'wait.mean',
      shape: 'bars',
    }),
  ]
}

// Times are in whole milliseconds, as in logs.
const value = fc.integer({ min: 0, max: 1e12 }).map((ms) => ms / 1000)
const values = fc.array(value, { minLength: 1, maxLength: 12 })

describe('the drawing of a figure', () => {
  it('the drawing of a figure is well-formed for all names and values, and has no NaN', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), values, (name, some) => {
        for (const figure of figuresOf(name, some)) {
          const svg = drawn(figure, undefined, { hasPatterns: true })
          expect(isNested(svg), svg).toBe(true)
          expect(svg.replaceAll(/>[^<]*</g, '><')).not.toContain('NaN')
        }
      }),
      { numRuns: 10 },
    )
    expect(isNested('<g><a></g>')).toBe(false)
  })

  it('the drawing of a figure is the same however many figures were drawn before', () => {
    const look = { xRange: [1, 2], yRange: [0.2, 0.4] } as const
    const [, figure] = figuresOf('run', [1, 2, 3, 4])
    expect(drawn(figure, undefined, look)).toBe(drawn(figure, undefined, look))
    expect(drawn(figure, undefined, look)).toContain('clip-path="url(#clip-1)"')
  })

  it('patterns replace the colours of all series but the first, and dashes mark further lines', () => {
    const runs = ['a', 'b'].map((name) => ({ name, values: [1, 2, 3], sizes: [1, 1, 1] }))
    const [boxes, lines] = [bySizeFigure, ecdfFigure].map((make) => make(runs, { label: 'wait', unit: 1 }))
    expect(drawn(boxes)).not.toContain('pattern')
    expect(drawn(boxes, undefined, { hasPatterns: true })).toMatch(
      /<pattern id="(pattern-2-d55e00)".*fill="url\(#\1\)"/,
    )
    expect(drawn(lines, undefined, { hasPatterns: true })).toContain('stroke-dasharray')
    expect(drawn(lines)).not.toContain('stroke-dasharray')
  })

  it('a size in millimetres is the size of the SVG, and the type has the size of the picture', () => {
    const extent = { width: 96, height: 48, type: 10, isInMillimetres: true }
    expect(drawn(figuresOf('a', [1])[1], extent)).toMatch(
      /font-size="10".*viewBox="0 0 96 48" height="12.7mm" width="25.4mm"/,
    )
  })

  it('a rectangle has its label only if the label fits', () => {
    const jobs = [
      { job: 'wide', start: 0, end: 90, ranges: [0, 9] },
      { job: 'narrow', start: 90, end: 91, ranges: [0, 9] },
    ]
    const svg = drawn(ganttFigure([{ name: 'a', nodes: 10, jobs, down: [] }]))
    expect([svg.includes('>wide<'), svg.includes('>narrow<')]).toEqual([true, false])
  })

  it('the legend begins a new line for names that do not fit into the width', () => {
    const names = ['a first name of a run', 'a second name of a run', 'a third name of a run']
    const figure = ecdfFigure(
      names.map((name) => ({ name, values: [1, 2], sizes: [1, 1] })),
      { label: 'wait', unit: 1 },
    )
    const rows = [...drawn(figure).matchAll(/<text [^>]*y="([\d.]+)"[^>]*>a \w+ name of a run</g)].map(([, y]) => y)
    expect(new Set(rows).size).toBe(3)
  })
})

describe('the numbers of a figure', () => {
  it('by-size has the quantiles of each class of sizes, and ecdf the ranks of a distribution', () => {
    const run = { name: 'a', sizes: [1, 3, 4, 4, 4, 9], values: [5, 40, 10, 30, 20, Number.NaN] }
    expect(bySizeFigure([run], { label: 'wait', unit: 10 }).data).toEqual([
      { run: 'a', sizes: '1', jobs: 1, p10: 0.5, p25: 0.5, median: 0.5, p75: 0.5, p90: 0.5 },
      { run: 'a', sizes: '3-4', jobs: 4, p10: 1, p25: 2, median: 3, p75: 3, p90: 4 },
    ])
    expect(ecdfFigure([run], { label: 'wait', unit: 1 }).data).toEqual(
      [5, 10, 20, 30, 40].map((each, at) => ({ run: 'a', value: each, share: (at + 1) / 5 })),
    )
  })

  it('the columns of a comparison have the names of the metric, the interval and the other source', () => {
    const groups = [
      { name: 'a', mean: 3, half: 1, values: [2, 4], beside: 5 },
      { name: 'b', mean: 6, half: null, values: [6] },
    ]
    expect(comparisonFigure(groups, { label: 'wait', metric: 'wait.mean' }).data).toEqual([
      { runs: 'a', count: 2, 'wait.mean': 3, 'interval.low': 2, 'interval.high': 4, 'paper.wait.mean': 5 },
      { runs: 'b', count: 1, 'wait.mean': 6, 'interval.low': null, 'interval.high': null, 'paper.wait.mean': null },
    ])
  })

  it('`csvOf` quotes cells if necessary', () => {
    expect(csvOf([{ run: 'a, "b"', value: null }])).toBe('run,value\n"a, ""b""",\n')
  })
})

it('`vegaLiteOf` makes specifications that match the schema of Vega-Lite', () => {
  const file = createRequire(import.meta.url).resolve('vega-lite/vega-lite-schema.json')
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const matches = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object)
  for (const figure of figuresOf('run', [1, 20, 300]))
    expect(matches(vegaLiteOf(figure, { width: 320, height: 190 })), JSON.stringify(matches.errors?.slice(0, 3))).toBe(
      true,
    )
  expect(matches({ mark: 'no mark' })).toBe(false)
})
