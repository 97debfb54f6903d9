import type { BarChart } from '../report/bar-chart.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { ratio } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { type Curve, threshold } from './threshold.ts'

/** Case of a figure of the Pascual paper: a log under a queue discipline. */
export interface Case {
  readonly log: paper.LogName
  readonly queue: paper.QueueName
}

/** Returns a mean time of a run in seconds; undefined if the run is missing. First fit has the speed-up `factor` 0. */
export type MeanTime = (of: 'wait' | 'total', at: Case, search: paper.Search, factor: number) => number | undefined

const names: Readonly<Record<paper.Search, string>> = {
  'first-fit': 'non-contiguous',
  contiguous: 'contiguous',
  relaxed: 'relaxed',
}
const series: BarChart['series'] = [
  { name: names.contiguous, color: '#332288' },
  { name: names.relaxed, color: '#88ccee' },
]
const sped = ['contiguous', 'relaxed'] as const

/** Returns the report of Figure 2: waits without speed-up, relative to first fit. */
export function waitsWithoutSpeedup(cases: ReadonlyArray<Case>, mean: MeanTime, file: string): Report {
  const relative = (at: Case, search: paper.Search): number | undefined =>
    ratio(mean('wait', at, search, 0), mean('wait', at, 'first-fit', 0))
  const rows = cases.map((at) => [
    caseName(at),
    ...paper.searches.map((search) => time(mean('wait', at, search, 0))),
    ...sped.map((search) => times(relative(at, search))),
  ])
  const comparisons = paper.logs.flatMap(({ name: log }) =>
    Object.keys(paper.queues).map((queue) => {
      const at = { log, queue } as Case
      return compare(
        'IV, Fig. 2',
        `wait, contiguous without speed-up: ${caseName(at)}`,
        'ratio',
        paper.waitWithoutSpeedup,
        relative(at, 'contiguous'),
      )
    }),
  )
  return {
    tables: [
      {
        title: 'Mean wait, and relative to non-contiguous',
        heading: ['', ...paper.searches.map((search) => names[search]), 'contiguous, relative', 'relaxed, relative'],
        rows,
      },
    ],
    comparisons,
    charts: [
      {
        file,
        chart: {
          series,
          axis: {
            label: 'Wait relative to non-contiguous',
            from: 0,
            to: 10,
            step: 1,
            reference: 1,
            unit: 'ratio',
            digits: 1,
          },
          panels: [
            {
              title: '',
              groups: cases.map((at) => ({
                name: caseName(at),
                bars: sped.map((search) => bar(relative(at, search))),
              })),
            },
          ],
        },
      },
    ],
  }
}

/** Returns the report of Figures 3 to 5: mean times by speed-up factor, beside the mean time under first fit. */
export function timesBySpeedup(of: 'wait' | 'total', cases: ReadonlyArray<Case>, mean: MeanTime, file: string): Report {
  const word = of === 'wait' ? 'wait' : 'time from submission to end'
  const tables = cases.map((at) => ({
    title: `${caseName(at)}: mean ${word}`,
    heading: ['speed-up', ...paper.searches.map((search) => names[search])],
    rows: paper.factors.map((factor) => [
      factor.toFixed(2),
      time(mean(of, at, 'first-fit', 0)),
      ...sped.map((search) => time(mean(of, at, search, factor))),
    ]),
  }))
  const panels = cases.map((at) => ({
    title: caseName(at),
    groups: paper.factors.map((factor) => ({
      name: factor.toFixed(2),
      bars: sped.map((search) => bar(ratio(mean(of, at, search, factor), mean(of, at, 'first-fit', 0)))),
    })),
  }))
  const axis: BarChart['axis'] = {
    label: `Mean ${of} relative to non-contiguous`,
    from: 0,
    to: 2,
    step: 0.25,
    reference: 1,
    unit: 'ratio',
    digits: 2,
  }
  return {
    tables: [...tables, thresholds(of, cases, mean)],
    comparisons: [],
    charts: [{ file, chart: { series, panels, axis } }],
  }
}

function thresholds(of: 'wait' | 'total', cases: ReadonlyArray<Case>, mean: MeanTime): Report['tables'][number] {
  const show = (at: Case, search: paper.Search): string => factor(crossing(of, at, search, mean))
  return {
    title: 'Speed-up from which on less than non-contiguous',
    heading: ['', ...sped.map((search) => names[search])],
    rows: cases.map((at) => [caseName(at), ...sped.map((search) => show(at, search))]),
  }
}

/** Compares runs with statements of the Pascual paper's section IV on HPC2N's total times (Figure 3). */
export function statedOfHpc2n(mean: MeanTime): ReadonlyArray<Comparison> {
  const [fcfs, easy] = (['FCFS', 'EASY'] as const).map((queue) => ({ log: 'HPC2N' as const, queue }))
  const [atFcfs, atEasy] = [fcfs, easy].map((at) => crossing('total', at, 'contiguous', mean))
  return [
    ...[fcfs, easy].map((at) =>
      compare(
        'IV, Fig. 3',
        `speed-up from which contiguous is ahead: ${caseName(at)}`,
        'ratio',
        paper.thresholds.HPC2N,
        crossing('total', at, 'contiguous', mean),
      ),
    ),
    // Two thresholds are about the same if they are less than 0.05 apart, a step of the speed-up factors.
    state(
      'IV, Fig. 3',
      'these speed-ups are about the same with and without backfilling',
      both(atFcfs, atEasy, (a, b) => Math.abs(a - b) < 0.05),
    ),
    state(
      'IV, Fig. 3',
      'jobs spend less time with backfilling, whatever the allocation and the speed-up',
      everyFactor((search, at) =>
        both(mean('total', fcfs, search, at), mean('total', easy, search, at), (without, withIt) => withIt < without),
      ),
    ),
  ]
}

/** Compares runs with statements of the Pascual paper's section IV on HPC2N's waits (Figure 4). */
export function statedOfWaits(cases: ReadonlyArray<Case>, mean: MeanTime): ReadonlyArray<Comparison> {
  return cases.flatMap((at) => [
    state(
      'IV, Fig. 4',
      `without speed-up most of the time is waiting, contiguous: ${caseName(at)}`,
      both(mean('wait', at, 'contiguous', 0), mean('total', at, 'contiguous', 0), (wait, total) => wait > total / 2),
    ),
    state(
      'IV, Fig. 4',
      `waits fall with every step of the speed-up, contiguous: ${caseName(at)}`,
      falls(curve('wait', at, 'contiguous', mean)),
    ),
  ])
}

/** Compares runs of SDSC and LLNL under EASY with statements of the Pascual paper's sections IV (Figure 5) and V. */
export function statedOfOthers(mean: MeanTime): ReadonlyArray<Comparison> {
  const [sdsc, llnl] = (['SDSC', 'LLNL'] as const).map((log) =>
    crossing('total', { log, queue: 'EASY' }, 'contiguous', mean),
  )
  return [
    compare('IV, Fig. 5', 'speed-up from which contiguous is ahead: SDSC, EASY', 'ratio', paper.thresholds.SDSC, sdsc),
    compare('V', 'speed-up from which contiguous is ahead: LLNL, EASY', 'ratio', paper.anyThreshold, llnl),
    state(
      'IV, Fig. 5',
      'the speed-up of LLNL is slightly higher than the speed-up of SDSC',
      both(llnl, sdsc, (a, b) => a > b),
    ),
  ]
}

function curve(of: 'wait' | 'total', at: Case, search: paper.Search, mean: MeanTime): Curve | undefined {
  const points = paper.factors.flatMap((x) => {
    const y = mean(of, at, search, x)
    return y === undefined ? [] : [{ x, y }]
  })
  return points.length === paper.factors.length ? points : undefined
}

function crossing(of: 'wait' | 'total', at: Case, search: paper.Search, mean: MeanTime): number | undefined {
  const [points, level] = [curve(of, at, search, mean), mean(of, at, 'first-fit', 0)]
  return points === undefined || level === undefined ? undefined : threshold(points, level)
}

function falls(points: Curve | undefined): boolean | undefined {
  return points?.every(({ y }, index) => index === 0 || y < points[index - 1].y)
}

/** Tests `holds` for first fit, and for contiguous allocation at each speed-up; undefined if a result is undefined. */
function everyFactor(holds: (search: paper.Search, factor: number) => boolean | undefined): boolean | undefined {
  const answers = [holds('first-fit', 0), ...paper.factors.map((factor) => holds('contiguous', factor))]
  return answers.includes(undefined) ? undefined : answers.every(Boolean)
}

function both<A>(a: A | undefined, b: A | undefined, holds: (a: A, b: A) => boolean): boolean | undefined {
  return a === undefined || b === undefined ? undefined : holds(a, b)
}

export function caseName({ log, queue }: Case): string {
  return `${log}, ${queue}`
}

function bar(value: number | undefined): { readonly value: number } | null {
  return value === undefined ? null : { value }
}

/** Returns a time as a text in minutes, the unit of the Pascual paper. */
function time(seconds: number | undefined): string {
  return seconds === undefined ? '-' : `${(seconds / 60).toFixed(1)} min`
}

function times(value: number | undefined): string {
  return value === undefined ? '-' : `x ${value.toFixed(2)}`
}

function factor(value: number | undefined): string {
  return value === undefined ? 'none up to 0.4' : value.toFixed(3)
}
