/** Tests of the pictures and the numbers of `cloister plot`, without a browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BarChart } from '@cloister/reproduce'
import { csvOf, drawBars, type Drawer, drawBySize, drawComparison, drawEcdf } from '@cloister/viewer/pictures'
import { Effect } from 'effect'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { emptyDocument } from '../src/plot/document.ts'
import { namesOf } from '../src/plot/pictures.ts'
import { complaint, Folder } from './cloister.ts'

const document: Drawer = await Effect.runPromise(emptyDocument)
const extent = { width: 600, height: 300 }

/** Returns true if all elements of a text in XML close in the right order. */
function isNested(drawing: string): boolean {
  const tag = /<(\/?)([a-z]+)(?: [a-zA-Z0-9:-]+="[^"<>]*")*\s*(\/?)>/g
  const open: Array<string> = []
  const bare = drawing.replaceAll(/<style>[^<]*<\/style>/g, '')
  for (const [, closing, name, empty] of bare.matchAll(tag)) {
    if (closing === '/' && open.pop() !== name) return false
    if (closing === '' && empty === '') open.push(name)
  }
  return open.length === 0 && !/[<>]/.test(bare.replaceAll(tag, ''))
}

type Bar = Parameters<typeof drawBars>[1]['panels'][number]['groups'][number]['bars'][number]

const chart = (...bars: ReadonlyArray<Bar>): Parameters<typeof drawBars>[1] => ({
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
    expect(half).toBeCloseTo(full / 2, 6)
    expect(drawn(null, { value: 0.4 })).toEqual([[0, 'B &amp; C: 0.40']])
    expect(drawn({ value: 0.75, outline: 1 }, null)).toEqual([
      [full, 'A: 0.75, 1.00'],
      [half, 'A: 0.75'],
    ])
    expect(drawn({ value: 3 }, null)).toEqual([[full, 'A: 3.00']])
    expect(drawBars(document, chart({ value: 3 }, null))).toMatch(/rotate\(-90\)[^>]*>3\.00</)
    expect(drawBars(document, chart({ value: 1 }, null))).not.toMatch(/rotate\(-90\)[^>]*>1\.00</)
  })

  it('drawBars accepts every chart of a report of @cloister/reproduce, by the type check', () => {
    expectTypeOf<BarChart>().toEqualTypeOf<Parameters<typeof drawBars>[1]>()
  })

  it('a chart of bars is well-formed', () => {
    expect(isNested(drawBars(document, chart({ value: 0.6, outline: 0.8 }, { value: 9 })))).toBe(true)
    expect(isNested('<g><a></g>')).toBe(false)
  })
})

it('every kind of picture of plot is well-formed for all names and values', () => {
  // Draws times in whole milliseconds, as logs have them.
  const value = fc.integer({ min: 0, max: 1e12 }).map((ms) => ms / 1000)
  const values = fc.array(fc.oneof(value, fc.constant(Number.NaN)), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 20 }), values, (name, some) => {
      const run = { name, values: some, sizes: some.map((_, at) => 1 + at) }
      const axis = { label: 'wait', unit: 1 }
      const known = some.filter((value) => !Number.isNaN(value))
      if (known.length === 0) return
      for (const { svg } of [
        drawBySize(document, extent, [run], axis),
        drawEcdf(document, extent, [run], axis),
        drawComparison(document, extent, [{ name, mean: known[0], half: known.at(-1)!, values: known }], {
          label: name,
          format: String,
        }),
      ])
        expect(isNested(svg), svg).toBe(true)
    }),
    { numRuns: 20 },
  )
})

it('plot by-size draws the quantiles of each class of sizes, and ecdf the ranks of a distribution', () => {
  const run = { name: 'a', sizes: [1, 3, 4, 4, 4, 9], values: [5, 40, 10, 30, 20, Number.NaN] }
  expect(drawBySize(document, extent, [run], { label: 'wait', unit: 10 }).data).toEqual([
    { run: 'a', sizes: '1', jobs: 1, p10: 0.5, p25: 0.5, median: 0.5, p75: 0.5, p90: 0.5 },
    { run: 'a', sizes: '3-4', jobs: 4, p10: 1, p25: 2, median: 3, p75: 3, p90: 4 },
  ])
  expect(drawEcdf(document, extent, [run], { label: 'wait', unit: 1 }).data).toEqual(
    [5, 10, 20, 30, 40].map((value, at) => ({ run: 'a', value, share: (at + 1) / 5 })),
  )
})

it('namesOf shortens names of files if the short names are distinct, and csvOf quotes cells if necessary', () => {
  expect(namesOf(['a/run.ndjson', 'b/other.ndjson.zst'])).toEqual(['run', 'other'])
  expect(namesOf(['a/run.ndjson', 'b/run.ndjson', 'a/run.ndjson'])).toEqual([
    'a/run.ndjson',
    'b/run.ndjson',
    'a/run.ndjson (3)',
  ])
  expect(csvOf([{ run: 'a, "b"', value: null }])).toBe('run,value\n"a, ""b""",\n')
})

describe('cloister plot', () => {
  it('plot draws logs with their numbers, and the results of a sweep', async () => {
    const folder = new Folder()
    await folder.log()
    const { nodeTime } = (await folder.json('metrics', 'run.ndjson')) as {
      readonly nodeTime: Readonly<Record<string, number>>
    }
    await folder.log('other.ndjson')
    const read = (file: string): string => readFileSync(join(folder.path, file), 'utf8')
    for (const [kind, ...files] of [
      ['utilization', 'run.ndjson', 'other.ndjson'],
      ['node-time', 'run.ndjson'],
      ['by-size', 'run.ndjson', 'other.ndjson', '--of', 'slowdown', '--where', 'size>1'],
      ['ecdf', 'run.ndjson'],
    ]) {
      await folder.cloister('plot', kind, ...files, '--csv', `${kind}.csv`)
      expect(read(`${kind}.svg`)).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
      expect(isNested(read(`${kind}.svg`)), kind).toBe(true)
    }
    const causes = read('node-time.csv').trim().split('\n').slice(1)
    expect(causes.reduce((sum, line) => sum + Number(line.split(',')[2]), 0)).toBeCloseTo(causes.length / 6, 6)
    const bars = await folder.json(
      'plot',
      'node-time',
      'run.ndjson',
      'other.ndjson',
      '--out',
      'b.svg',
      '--csv',
      'b.csv',
    )
    expect(bars).toMatchObject({ files: ['b.svg', 'b.csv'], rows: 12 })
    expect(read('b.csv').split('\n')[1]).toBe(`run,busy,${nodeTime['busy']}`)
    folder.write(
      'e.json',
      '{"cells":[{"trace":"synth:4:20","topology":"radix:6","policy":["baseline","jigsaw"],"seed":[1,2]}]}',
    )
    await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(await folder.json('plot', 'compare', 'e.results.ndjson', '--of', 'wait.mean')).toMatchObject({ rows: 2 })
    expect(read('compare.svg')).toContain('jigsaw')
  })

  it('plot refuses senseless options with a message', async () => {
    const folder = new Folder()
    await folder.log()
    for (const [args, expected] of [
      [['ecdf', 'run.ndjson', '--of', 'speed'], 'found speed, expected one of size, submit'],
      [['ecdf', 'run.ndjson', '--where', 'wiat>1'], 'expected one of the fields'],
      [['node-time', 'run.ndjson', '--of', 'wait'], 'is only for by-size, ecdf and compare'],
      [['node-time', 'run.ndjson', '--where', 'size>1'], 'is only for by-size and ecdf'],
      [['node-time', 'run.ndjson', '--width', '3'], 'found 3, expected 120 to 10000'],
      [['node-time', 'run.ndjson', '--out', 'x', '--csv', 'x'], 'name the same file'],
      [['node-time', 'run.ndjson', '--out', 'run.ndjson'], 'run.ndjson'],
      [['compare', 'run.ndjson'], 'run.ndjson'],
      [['compare', 'run.ndjson', '--of', 'policy'], 'expected a metric'],
      [['node-time', 'none.ndjson'], 'none.ndjson'],
    ] as const)
      expect(complaint(await folder.cloister('plot', ...args)), args.join(' ')).toContain(expected)
  })
})
