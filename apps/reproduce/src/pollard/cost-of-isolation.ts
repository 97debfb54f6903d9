import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import type { RunResult } from '../experiment/runs.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { percent } from '../report/quantities.ts'
import type { Report } from '../report/report.ts'
import { ratio } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { type PollardRuns, runWorkloads, type Way, ways } from './runs.ts'

/** Share by which a similar wait may exceed TO's wait; the Pollard paper's similar waits differ by up to 7 %. */
const SIMILAR = 0.1

export const table1: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  return {
    tables: [byWay(runs, 'Mean wait in hours', (name, way) => hours(runs.wait(name, way)))],
    comparisons: [
      ...Object.entries(paper.waits).flatMap(([name, row]) =>
        (['TO', 'None', 'V1', 'V2'] as const).map((way) =>
          compare(
            'Table I',
            `mean wait, ${name}, ${way === 'None' ? 'TA' : way === 'TO' ? way : `TA ${way}`}`,
            'hours',
            row[way],
            runs.wait(name, way),
          ),
        ),
      ),
      ...runs.names.flatMap((name) => waitClaims(runs, name)),
    ],
    charts: [],
  }
})

function waitClaims(runs: PollardRuns, name: string): ReadonlyArray<Comparison> {
  const [to, none] = (['TO', 'None'] as const).map((way) => runs.wait(name, way))
  if (to === undefined || none === undefined) return []
  const underV2 = (['V2', 'V2 by class'] as const).flatMap((way) => {
    const wait = runs.wait(name, way)
    return wait === undefined ? [] : [{ way, wait }]
  })
  return [
    state('V-E', `waits are longer with isolation: ${name}`, none > to),
    ...underV2.flatMap(({ way, wait }) => [
      state('V-E', `${way} shortens waits under TA: ${name}`, wait < none),
      ...(runs.isOverloaded(name)
        ? [
            state(
              'V-E',
              `with ${way} waits under TA are similar to waits under TO, or shorter: ${name}`,
              wait <= to * (1 + SIMILAR),
            ),
          ]
        : []),
    ]),
  ]
}

export const fig8: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  const tables = runs.names.map((name) => ({
    title: name,
    heading: ['', 'least', 'first quartile', 'median', 'third quartile', 'most'],
    rows: ways.map((way) => [label(way), ...quartiles(runs.get(name, way))]),
  }))
  return {
    tables,
    comparisons: runs.names.filter((name) => runs.isOverloaded(name)).map((name) => drop(runs, name)),
    charts: [],
  }
})

/** Compares the drop of the median utilization with the Pollard paper's "about 10 %", read as 7 to 13 points. */
function drop(runs: PollardRuns, name: string): Comparison {
  const [to, none] = [runs.utilization(name, 'TO'), runs.utilization(name, 'None')]
  return compare(
    'V-C',
    `drop of the median utilization by isolation: ${name}`,
    'points',
    { low: paper.cost.utilization - 0.03, high: paper.cost.utilization + 0.03 },
    to === undefined || none === undefined ? undefined : to - none,
  )
}

export const fig9: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  const toOblivious = (name: string, way: Way): number | undefined =>
    ratio(runs.makespan(name, way), runs.makespan(name, 'TO'))
  return {
    tables: [byWay(runs, 'Makespan in hours', (name, way) => hours(runs.makespan(name, way)))],
    comparisons: [
      ...(['V1', 'V2'] as const).map((way) =>
        compare(
          'V-D',
          `makespan of Sept on Cab under TA ${way}`,
          'ratio',
          paper.september[way],
          toOblivious('Sept on Cab', way),
        ),
      ),
      ...runs.names
        .filter((name) => runs.isOverloaded(name))
        .map((name) =>
          compare(
            'V-D',
            `makespan under TA, overloaded: ${name}`,
            'ratio',
            { low: 1, high: 1 + paper.cost.makespan },
            toOblivious(name, 'None'),
          ),
        ),
      ...runs.names.flatMap((name) => [pays(runs, name, '10%'), pays(runs, name, '20%')]),
    ],
    charts: [],
  }
})

/** Isolation pays if under TA the mean wait is no longer, and the makespan at most 0.1 % longer, than under TO. */
function pays(runs: PollardRuns, name: string, way: Way): Comparison {
  const [wait, makespan] = [
    ratio(runs.wait(name, way), runs.wait(name, 'TO')),
    ratio(runs.makespan(name, way), runs.makespan(name, 'TO')),
  ]
  return state(
    'VII',
    `jobs ${way.replace('%', ' %')} faster pay for the isolation: ${name}`,
    wait === undefined || makespan === undefined ? undefined : wait <= 1 && makespan <= 1.001,
  )
}

export const fig10: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  const tables = runs.names.map((name) => waitsBySize(runs, name))
  return {
    tables,
    comparisons: [
      ...paper.waitsInText.map((each) => inText(runs, each)),
      ...runs.names.map((name) =>
        state('V-E', `under TA larger jobs wait longer: ${name}`, growsWithSize(runs.get(name, 'None'))),
      ),
    ],
    charts: [],
  }
})

function inText(
  runs: PollardRuns,
  { name, of, way, beyondTO, hours: stated }: (typeof paper.waitsInText)[number],
): Comparison {
  const wait = (under: Way): number | undefined =>
    of === 'all' ? runs.wait(name, under) : waitOf(runs.get(name, under), 65, 256)
  const [found, byTO] = [wait(way), beyondTO ? wait('TO') : 0]
  const what = `mean wait${of === 'all' ? '' : ` of ${of} nodes`} under ${label(way)}${beyondTO ? ' beyond that under TO' : ''}`
  return compare(
    'V-E',
    `${what}: ${name}`,
    'hours',
    stated,
    found === undefined || byTO === undefined ? undefined : found - byTO,
  )
}

/** Returns the mean wait in hours of the jobs in size classes inside a range of sizes; undefined for no jobs. */
function waitOf(result: RunResult | undefined, from: number, to: number): number | undefined {
  const inside = (result?.metrics.wait.bySize ?? []).filter(({ sizes }) => {
    const [least, most = least] = sizes.split('-').map(Number)
    return least >= from && most <= to
  })
  const jobs = inside.reduce((sum, each) => sum + each.jobs, 0)
  return jobs === 0 ? undefined : inside.reduce((sum, each) => sum + each.jobs * (each.mean ?? 0), 0) / jobs / 3600
}

function waitsBySize(runs: PollardRuns, name: string): Report['tables'][number] {
  const classes = runs.get(name, 'TO')?.metrics.wait.bySize ?? []
  return {
    title: `${name}: mean wait in hours`,
    heading: ['', ...classes.map(({ sizes }) => `${sizes} nodes`), 'all'],
    rows: ways.map((way) => {
      const bySize = runs.get(name, way)?.metrics.wait.bySize ?? []
      return [
        label(way),
        ...classes.map(({ sizes }) => hours(inHours(bySize.find((each) => each.sizes === sizes)?.mean))),
        hours(runs.wait(name, way)),
      ]
    }),
  }
}

/** Tests that the largest class of job sizes waits longer than the smallest, among classes of at least 100 jobs. */
function growsWithSize(result: RunResult | undefined): boolean | undefined {
  const classes = (result?.metrics.wait.bySize ?? []).filter(({ jobs, mean }) => jobs >= 100 && mean !== null)
  return classes.length < 2 ? undefined : classes.at(-1)!.mean! > classes[0].mean!
}

function byWay(runs: PollardRuns, title: string, cell: (name: string, way: Way) => string): Report['tables'][number] {
  return {
    title,
    heading: ['', ...ways.map(label)],
    rows: runs.names.map((name) => [name, ...ways.map((way) => cell(name, way))]),
  }
}

function label(way: Way): string {
  return way === 'TO' ? 'TO' : way === 'None' ? 'TA' : `TA ${way}`
}

function quartiles(result: RunResult | undefined): ReadonlyArray<string> {
  const { min, q1, median, q3, max } = result?.metrics.utilization.perMinute ?? {}
  return [min, q1, median, q3, max].map((value) => (value === undefined ? '-' : percent(value)))
}

function inHours(seconds: number | null | undefined): number | undefined {
  return seconds === null || seconds === undefined ? undefined : seconds / 3600
}

function hours(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2)
}
