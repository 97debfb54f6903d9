import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chartsOf, claimsOf, readOutput, type StoredOutput } from '../src/index.ts'
import { compare, state } from '../src/report/comparison.ts'
import { verdictOf } from '../src/report/claims.ts'
import { niceRange } from '../src/report/stored-charts.ts'
import { folder } from './experiment-pages.ts'

const outputs = readdirSync(join(folder, 'outputs')).map((file) =>
  readOutput(readFileSync(join(folder, 'outputs', file), 'utf8')),
)
const outputOf = (command: string): StoredOutput =>
  outputs.find((output) => output.command === `cloister reproduce ${command}`)!

describe('chartsOf', () => {
  it.each(outputs.map((output) => [output.command, output] as const))(
    'the charts of $ %s have a name for each series, values inside of the text, and an axis with steps',
    (_, output) => {
      for (const { kind, title, chart } of chartsOf(output)) {
        const { from, to, step } = chart.axis
        expect({ title, steps: (to - from) / step }).toEqual({
          title,
          steps: expect.toSatisfy((steps: number) => steps >= 1.5),
        })
        const values =
          kind === 'rows' ? chart.rows.map((row) => row.values) : chart.panels[0].groups.map(({ bars }) => bars)
        expect({ title, rows: values.length > 0 }).toEqual({ title, rows: true })
        for (const row of values) expect(row).toHaveLength(chart.series.length)
        expect({ title, known: values.flat().some((value) => value !== null) }).toEqual({ title, known: true })
        expect(new Set(chart.series.map(({ color }) => color)).size).toBe(chart.series.length)
      }
    },
  )

  it('chartsOf draws the values of the table of Figure 6 of the Jigsaw paper', () => {
    const [{ kind, chart, title }] = chartsOf(outputOf('jigsaw-fig6'))
    if (kind !== 'bars') throw new Error(`expected bars, found ${kind}`)
    expect(title).toBe('Average system utilization')
    expect(chart.series.map(({ name }) => name)).toEqual(['Baseline', 'LC+S', 'LC', 'Jigsaw', 'LaaS', 'TA', 'TA 2017'])
    expect(chart.panels[0].groups.at(-1)).toMatchObject({
      name: 'Atlas',
      bars: { 0: { value: 0.9687 }, 3: { value: 0.9195 } },
    })
  })

  it('chartsOf divides by a column, draws quartiles as ranges, and shortens names', () => {
    const [fcfs] = chartsOf(outputOf('pascual-fig3'))
    expect(fcfs).toMatchObject({ title: 'By speed-up, relative to non-contiguous: HPC2N, FCFS' })
    expect(fcfs.kind === 'bars' && fcfs.chart.panels[0].groups[0].bars[0]?.value).toBeCloseTo(2362.1 / 554.7)
    const [hops] = chartsOf(outputOf('pollard-fig7'))
    expect(hops.kind === 'rows' && hops.chart.rows[2]).toEqual({
      label: '6-25',
      range: { low: 1.36, high: 2.67 },
      values: [2.14],
    })
    const [waits] = chartsOf(outputOf('pollard-fig10'))
    expect(waits.kind === 'bars' && waits.chart.panels[0].groups.map(({ name }) => name)).toEqual([
      '1',
      '2-4',
      '5-16',
      '17-64',
      '65-256',
      '257+',
      'all',
    ])
  })

  it('niceRange returns a range with round ends around the values', () => {
    expect(niceRange(-0.008, 0.214)).toEqual({ from: -0.05, to: 0.25, step: 0.05, digits: 2 })
    expect(niceRange(0, 35.02)).toEqual({ from: 0, to: 40, step: 10, digits: 0 })
  })
})

describe('claimsOf', () => {
  it('claimsOf sums up the cases of a statement, with the ranges and the largest difference', () => {
    const claims = claimsOf([
      compare('6.1', 'utilization under X, Thunder', 'share', { low: 0.9, high: 0.91 }, 0.923),
      compare('6.1', 'utilization under X, Atlas', 'share', { low: 0.9, high: 0.91 }, 0.905),
      compare('6.1', 'utilization under X, Cab', 'share', { low: 0.9, high: 0.91 }, null),
      state('6.2', 'X is first: Thunder', false),
      state('6.2', 'X is first: Atlas', false),
      compare('6.3', 'best makespan, with speed-ups', 'ratio', { low: 0, high: 1 }, 0.997),
      compare('6.4', 'scheduling a job, Thunder', 'seconds', 0.001, 0.00002),
      compare('6.4', 'scheduling a job, Atlas', 'seconds', 0.001, 0.0001),
    ])
    expect(claims).toEqual([
      {
        section: '6.1',
        claim: 'utilization under X',
        paper: '90.0 to 91.0 %',
        ours: '90.5 to 92.3 %',
        difference: '+1.3',
        verdict: 'holds in 1 of 2',
      },
      { section: '6.2', claim: 'X is first', paper: '', ours: '', difference: '', verdict: 'does not hold in 2 of 2' },
      {
        section: '6.3',
        claim: 'best makespan, with speed-ups',
        paper: 'under 1.000',
        ours: '0.997',
        difference: '0',
        verdict: 'holds',
      },
      {
        section: '6.4',
        claim: 'scheduling a job',
        paper: '1,000 µs',
        ours: '20 to 100 µs',
        difference: '1/50',
        verdict: 'differs in 2 of 2',
      },
    ])
  })

  it('a number holds if it is in the range of the paper in the printed digits', () => {
    expect(verdictOf(compare('1', 'x', 'share', 0.92, 0.9196))).toBe('holds')
    expect(verdictOf(compare('1', 'x', 'share', 0.92, 0.9193))).toBe('differs')
    expect(verdictOf(state('1', 'x', false))).toBe('does not hold')
    expect(verdictOf(state('1', 'x', undefined))).toBeUndefined()
  })
})
