import { Effect } from 'effect'
import { type Outcomes, plan, type Planned, runOn, type Scenario, turnaround } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import type { LocatedTrace } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { type Curve, ofBoth, orDash, ratio, threeDigits, threshold } from '../report/numbers.ts'
import { barGroup, type BarChart, relativeAxis, type Report, reportOf, type Table } from '../report/report.ts'
import * as paper from './paper.ts'

/** Case of a figure of the Pascual paper: a log under a queue discipline. */
export interface Case {
  readonly log: paper.LogName
  readonly queue: paper.QueueName
}

/** Returns a mean time of a run in seconds; undefined if the run is missing. First fit has the speed-up `factor` 0. */
export type MeanTime = (of: 'wait' | 'total', at: Case, search: paper.Search, factor: number) => number | undefined

const queues = ['FCFS', 'EASY'] as const
const casesOf = (logs: ReadonlyArray<paper.LogName>, of: ReadonlyArray<paper.QueueName>): ReadonlyArray<Case> =>
  logs.flatMap((log) => of.map((queue) => ({ log, queue })))
const allCases = casesOf(['HPC2N', 'SDSC', 'LLNL'], queues)
const hpc2n = casesOf(['HPC2N'], queues)

export const waitsOfContiguous: Experiment = make(allCases, [0], (cases, mean) =>
  waitsWithoutSpeedup(cases, mean, 'pascual-fig2.svg'),
)

export const totalsOfHpc2n: Experiment = make(hpc2n, paper.factors, (cases, mean) =>
  timesBySpeedup('total', cases, mean, 'pascual-fig3.svg', statedOfHpc2n(mean)),
)

export const waitsOfHpc2n: Experiment = make(hpc2n, paper.factors, (cases, mean) =>
  timesBySpeedup('wait', cases, mean, 'pascual-fig4.svg', statedOfWaits(hpc2n, mean)),
)

export const totalsOfOthers: Experiment = make(casesOf(['SDSC', 'LLNL'], ['EASY']), paper.factors, (cases, mean) =>
  timesBySpeedup('total', cases, mean, 'pascual-fig5.svg', statedOfOthers(mean)),
)

/** Makes an experiment with runs of `contiguous` and `relaxed` at each speed-up, and of first fit without speed-up. */
function make(
  cases: ReadonlyArray<Case>,
  factors: ReadonlyArray<number>,
  report: (cases: ReadonlyArray<Case>, mean: MeanTime) => Report,
): Experiment {
  return Effect.gen(function* () {
    const { outcomes, names } = yield* runOn(
      paper.logs.filter(({ name }) => cases.some(({ log }) => log === name)),
      (log) => cases.filter((each) => each.log === log.name).flatMap((at) => runsOf(log, at, factors)),
    )
    return report(
      cases.filter(({ log }) => names.includes(log)),
      meanTime(outcomes),
    )
  })
}

function runsOf(
  log: paper.PaperLog & { readonly located: LocatedTrace },
  at: Case,
  factors: ReadonlyArray<number>,
): ReadonlyArray<Planned> {
  const trace = { ...log, name: caseName(at) }
  return paper.searches.flatMap((search) => {
    const policy = { name: 'contiguous', config: { search, installed: log.installed } }
    const scheme = { name: search, spec: { ...paper.estimates, policy } }
    return (search === 'first-fit' ? [0] : factors).map((factor) =>
      plan(trace, paper.queues[at.queue], scheme, speedup(factor)),
    )
  })
}

export function speedup(factor: number): Scenario {
  const percent = (factor * 100).toFixed(0)
  return factor === 0 ? { name: 'None', scenario: 'none' } : { name: percent, scenario: `all:${percent}%` }
}

function meanTime(outcomes: Outcomes): MeanTime {
  return (of, at, search, factor) =>
    outcomes.value(
      of === 'wait' ? ({ metrics }) => metrics.wait.mean : turnaround,
      caseName(at),
      search,
      speedup(factor).name,
    )
}

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
  const table = {
    title: 'Mean wait, and relative to non-contiguous',
    heading: ['', ...paper.searches.map((search) => names[search]), 'contiguous, relative', 'relaxed, relative'],
    rows: cases.map((at) => [
      caseName(at),
      ...paper.searches.map((search) => orDash(mean('wait', at, search, 0), minutes)),
      ...sped.map((search) => orDash(relative(at, search), (value) => `x ${value.toFixed(2)}`)),
    ]),
  }
  const comparisons = allCases.map((at) =>
    compare(
      'IV, Fig. 2',
      `wait, contiguous without speed-up: ${caseName(at)}`,
      'ratio',
      paper.waitWithoutSpeedup,
      relative(at, 'contiguous'),
    ),
  )
  const groups = cases.map((at) => barGroup(caseName(at), sped, (search) => relative(at, search)))
  const axis = relativeAxis('Wait relative to non-contiguous', 0, 10, 1, 1)
  return reportOf([table], comparisons, [{ file, chart: { series, axis, panels: [{ title: '', groups }] } }])
}

/** Returns the report of Figures 3 to 5: mean times by speed-up factor, beside the mean time under first fit. */
export function timesBySpeedup(
  of: 'wait' | 'total',
  cases: ReadonlyArray<Case>,
  mean: MeanTime,
  file: string,
  comparisons: ReadonlyArray<Comparison>,
): Report {
  const word = of === 'wait' ? 'wait' : 'time from submission to end'
  const tables = cases.map((at) => ({
    title: `${caseName(at)}: mean ${word}`,
    heading: ['speed-up', ...paper.searches.map((search) => names[search])],
    rows: paper.factors.map((factor) => [
      factor.toFixed(2),
      ...paper.searches.map((search) => orDash(mean(of, at, search, search === 'first-fit' ? 0 : factor), minutes)),
    ]),
  }))
  const thresholds: Table = {
    title: 'Speed-up from which on less than non-contiguous',
    heading: ['', ...sped.map((search) => names[search])],
    rows: cases.map((at) => [
      caseName(at),
      ...sped.map((search) => {
        const from = crossing(of, at, search, mean)
        return from === undefined ? 'none up to 0.4' : threeDigits(from)
      }),
    ]),
  }
  const panels = cases.map((at) => ({
    title: caseName(at),
    groups: paper.factors.map((factor) =>
      barGroup(factor.toFixed(2), sped, (search) => ratio(mean(of, at, search, factor), mean(of, at, 'first-fit', 0))),
    ),
  }))
  const axis = relativeAxis(`Mean ${of} relative to non-contiguous`, 0, 2, 0.25)
  return reportOf([...tables, thresholds], comparisons, [{ file, chart: { series, panels, axis } }])
}

/** Compares runs with statements of the Pascual paper's section IV on HPC2N's total times (Figure 3). */
export function statedOfHpc2n(mean: MeanTime): ReadonlyArray<Comparison> {
  const [fcfs, easy] = hpc2n
  const [atFcfs, atEasy] = hpc2n.map((at) => crossing('total', at, 'contiguous', mean))
  return [
    ...hpc2n.map((at) =>
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
      ofBoth(atFcfs, atEasy, (a, b) => Math.abs(a - b) < 0.05),
    ),
    state(
      'IV, Fig. 3',
      'jobs spend less time with backfilling, whatever the allocation and the speed-up',
      everyFactor((search, at) =>
        ofBoth(mean('total', fcfs, search, at), mean('total', easy, search, at), (without, withIt) => withIt < without),
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
      ofBoth(mean('wait', at, 'contiguous', 0), mean('total', at, 'contiguous', 0), (wait, total) => wait > total / 2),
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
      ofBoth(llnl, sdsc, (a, b) => a > b),
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
  return ofBoth(curve(of, at, search, mean), mean(of, at, 'first-fit', 0), threshold)
}

function falls(points: Curve | undefined): boolean | undefined {
  return points?.every(({ y }, index) => index === 0 || y < points[index - 1].y)
}

/** Tests `holds` for first fit, and for contiguous allocation at each speed-up; undefined if a result is undefined. */
function everyFactor(holds: (search: paper.Search, factor: number) => boolean | undefined): boolean | undefined {
  const answers = [holds('first-fit', 0), ...paper.factors.map((factor) => holds('contiguous', factor))]
  return answers.includes(undefined) ? undefined : answers.every(Boolean)
}

function caseName({ log, queue }: Case): string {
  return `${log}, ${queue}`
}

/** Returns the text of a time in minutes, the unit of the Pascual paper. */
function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} min`
}
