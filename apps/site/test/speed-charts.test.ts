// Tests of the charts of speed over commits, and of the stored series that the site draws.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { SERIES, speedCharts, type SpeedLine } from '../src/speed-charts.ts'
import { buildOnce, root, siteFile } from './built-site.ts'
import { faultsBy } from './schema-faults.ts'

const spread = (median: number): SpeedLine['cold']['withLog'] => ({
  median,
  least: median * 0.9,
  largest: median * 1.2,
})
const times = (median: number): SpeedLine['cold'] => ({ withoutLog: spread(median), withLog: spread(2 * median) })
const line = (commit: string, day: number, median: number, other: Partial<SpeedLine> = {}): SpeedLine => ({
  commit,
  date: `2026-11-0${day}T00:00:00.000Z`,
  processor: 'Alpha',
  cores: 2,
  load: 0,
  node: '24.21.0',
  runs: 5,
  trace: 'synth:16',
  topology: 'radix:16',
  policy: 'jigsaw',
  options: '',
  cold: times(median),
  ...other,
})

/** Returns the points of each line of a chart, by the colour of the line. */
const linesOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/stroke="(var\([^"]*\))"[^>]*><path d="(M[^"Z]*L[^"Z]*)"/g)].map(
    ([, color, path]) => `${color}: ${path.match(/[ML]/g)!.length} points`,
  )

describe('speedCharts', () => {
  it('joins only times of the same machine and kind, in the order of the dates of the commits', () => {
    const beta = { processor: 'Beta' }
    const warm = { warm: times(5) }
    const html = speedCharts([
      line('third', 3, 12, warm),
      line('first', 1, 10),
      line('second', 2, 11, warm),
      line('third', 3, 20, beta),
      line('second', 2, 21, beta),
    ])
    const [blue, orange] = ['var(--chart-0072b2, #0072b2)', 'var(--chart-d55e00, #d55e00)']
    const drawn = linesOf(html).map((each) => each.replace(blue, 'Alpha').replace(orange, 'Beta'))
    expect(drawn.sort()).toEqual(['Alpha: 2 points', 'Alpha: 3 points', 'Beta: 2 points'])
    const names = [...html.matchAll(/>(first|second|third)<\/text>/g)].map(([, name]) => name)
    expect(names).toEqual(['first', 'second', 'third'])
  })

  it('draws a chart for each case, and describes all charts to readers who do not see them', () => {
    const html = speedCharts([line('a', 1, 10), line('a', 1, 9, { policy: 'baseline' }), line('b', 2, 10)])
    expect(html.match(/>(jigsaw|baseline), synth:16 on radix:16<\/text>/g)).toHaveLength(2)
    expect(html).toContain(
      'role="img" aria-label="Time per job in µs, without a log, by commit. 2 charts of 2 commits.',
    )
    expect(html.match(/<th scope="col"/g)!.length).toBeGreaterThan(5)
    const rows = [...html.matchAll(/<tr><td[^>]*>(.*?)<\/td>/g)].map(([, commit]) => commit)
    expect(rows).toEqual(['b', 'a', 'a'])
  })

  it('of two lines of a case, a commit and a machine, the last one counts', () => {
    const html = speedCharts([line('a', 1, 10), line('a', 1, 30)])
    expect(html).toContain('30.0')
    expect(html).not.toContain('10.0')
  })

  it('says that other programs used a machine, and names at most five commits below a chart', () => {
    const html = speedCharts([1, 2, 3, 4, 5, 6, 7, 8].map((day) => line(`commit${day}`, day, 10, { load: day })))
    expect(html).toContain('Alpha, 2 cores (shared with other programs: up to 4.0 for each core)')
    expect(html.match(/>commit\d<\/text>/g)).toEqual([
      '>commit2</text>',
      '>commit4</text>',
      '>commit6</text>',
      '>commit8</text>',
    ])
    expect(speedCharts([line('a', 1, 10)])).not.toContain('shared')
  })
})

describe('the stored series', () => {
  beforeAll(buildOnce)

  it('every line matches the JSON Schema, and the page about speed shows the charts and the table', () => {
    const stored = readFileSync(join(root, SERIES), 'utf8').trimEnd().split('\n')
    const faults = faultsBy('speed-series')
    expect(stored.flatMap((each) => faults(JSON.parse(each)))).toEqual([])
    expect(faults({ ...JSON.parse(stored[0]), cold: 7 })).not.toEqual([])
    const html = siteFile('project/speed.html')
    expect(html).toMatch(/id="speed-over-commits"[^]*role="img" aria-label="Time per job in µs/)
    const { commit } = JSON.parse(stored.at(-1)!) as SpeedLine
    expect(html).toContain(`>${commit.slice(0, 7)}</td>`)
  })
})
