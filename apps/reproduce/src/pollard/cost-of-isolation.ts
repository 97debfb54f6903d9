import { Effect } from 'effect'
import { type Figure, makespan, type Outcomes, plan, runOn } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import type { RunResult } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { difference, hours, ofBoth, orDash, percent, ratio } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import * as paper from './paper.ts'

/** Way to run a workload: under TO (topology-oblivious), or under TA (topology-aware) with the named speed-up. */
type Way = 'TO' | (typeof paper.speedups)[number]['name']
const ways: ReadonlyArray<Way> = ['TO', ...paper.speedups.map(({ name }) => name)]

/** Runs of all workloads at hand, for Table I and Figures 8 to 10 of the Pollard paper. */
class PollardRuns {
  /** Names of the workloads that were run. */
  readonly names: ReadonlyArray<string>
  readonly #outcomes: Outcomes

  constructor(names: ReadonlyArray<string>, outcomes: Outcomes) {
    this.names = names
    this.#outcomes = outcomes
  }

  get(workload: string, way: Way): RunResult | undefined {
    return this.#outcomes.get(workload, ...keysOf(way))
  }

  /** Returns the mean wait of a workload's jobs in hours, like `makespan`; undefined if the run is missing. */
  wait(workload: string, way: Way): number | undefined {
    return inHours(this.#value(({ metrics }) => metrics.wait.mean, workload, way))
  }
  makespan(workload: string, way: Way): number | undefined {
    return inHours(this.#value(makespan, workload, way))
  }
  /** Returns the median of a run's utilization over all minutes; undefined if the run is missing. */
  utilization(workload: string, way: Way): number | undefined {
    return this.#value(({ metrics }) => metrics.utilization.perMinute?.median, workload, way)
  }

  /** Returns true if a workload overloads its machine: the mean wait under TO is over an hour. */
  isOverloaded(workload: string): boolean {
    return (this.wait(workload, 'TO') ?? 0) > 1
  }

  #value(of: Figure, workload: string, way: Way): number | undefined {
    return this.#outcomes.value(of, workload, ...keysOf(way))
  }
}

/** Returns the scheme and the scenario of a way's runs. */
function keysOf(way: Way): readonly [scheme: string, scenario?: string] {
  return way === 'TO' ? ['TO'] : ['TA', way]
}

const runWorkloads = Effect.map(
  runOn([...paper.workloads, ...paper.standIns], (trace) => [
    plan(trace, paper.queue, paper.oblivious),
    ...paper.speedups.map((each) => plan(trace, paper.queue, paper.aware, each)),
  ]),
  ({ names, outcomes }) => new PollardRuns(names, outcomes),
)

/** Share by which a similar wait may exceed TO's wait; the Pollard paper's similar waits differ by up to 7 %. */
const SIMILAR = 0.1

export const table1: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  return reportOf(
    [byWay(runs, 'Mean wait in hours', (name, way) => runs.wait(name, way))],
    [
      ...Object.entries(paper.waits).flatMap(([name, row]) =>
        (['TO', 'None', 'V1', 'V2'] as const).map((way) =>
          compare('Table I', `mean wait, ${name}, ${label(way)}`, 'hours', row[way], runs.wait(name, way)),
        ),
      ),
      ...runs.names.flatMap((name) => waitClaims(runs, name)),
    ],
  )
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
  return reportOf(
    tables,
    runs.names.filter((name) => runs.isOverloaded(name)).map((name) => drop(runs, name)),
  )
})

/** Compares the drop of the median utilization with the Pollard paper's "about 10 %", read as 7 to 13 points. */
function drop(runs: PollardRuns, name: string): Comparison {
  return compare(
    'V-C',
    `drop of the median utilization by isolation: ${name}`,
    'points',
    { low: paper.cost.utilization - 0.03, high: paper.cost.utilization + 0.03 },
    difference(runs.utilization(name, 'TO'), runs.utilization(name, 'None')),
  )
}

export const fig9: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  const toOblivious = (name: string, way: Way): number | undefined =>
    ratio(runs.makespan(name, way), runs.makespan(name, 'TO'))
  return reportOf(
    [byWay(runs, 'Makespan in hours', (name, way) => runs.makespan(name, way))],
    [
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
  )
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
    ofBoth(wait, makespan, (a, b) => a <= 1 && b <= 1.001),
  )
}

export const fig10: Experiment = Effect.gen(function* () {
  const runs = yield* runWorkloads
  return reportOf(
    runs.names.map((name) => waitsBySize(runs, name)),
    [
      ...paper.waitsInText.map((each) => inText(runs, each)),
      ...runs.names.map((name) =>
        state('V-E', `under TA larger jobs wait longer: ${name}`, growsWithSize(runs.get(name, 'None'))),
      ),
    ],
  )
})

function inText(
  runs: PollardRuns,
  { name, of, way, beyondTO, hours: stated }: (typeof paper.waitsInText)[number],
): Comparison {
  const wait = (under: Way): number | undefined =>
    of === 'all' ? runs.wait(name, under) : waitOf(runs.get(name, under), 65, 256)
  const what = `mean wait${of === 'all' ? '' : ` of ${of} nodes`} under ${label(way)}${beyondTO ? ' beyond that under TO' : ''}`
  return compare('V-E', `${what}: ${name}`, 'hours', stated, difference(wait(way), beyondTO ? wait('TO') : 0))
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

function waitsBySize(runs: PollardRuns, name: string): Table {
  const classes = runs.get(name, 'TO')?.metrics.wait.bySize ?? []
  return {
    title: `${name}: mean wait in hours`,
    heading: ['', ...classes.map(({ sizes }) => `${sizes} nodes`), 'all'],
    rows: ways.map((way) => {
      const bySize = runs.get(name, way)?.metrics.wait.bySize ?? []
      return [
        label(way),
        ...classes.map(({ sizes }) => orDash(bySize.find((each) => each.sizes === sizes)?.mean, hours)),
        orDash(runs.get(name, way)?.metrics.wait.mean, hours),
      ]
    }),
  }
}

/** Tests that the largest class of job sizes waits longer than the smallest, among classes of at least 100 jobs. */
function growsWithSize(result: RunResult | undefined): boolean | undefined {
  const classes = (result?.metrics.wait.bySize ?? []).filter(({ jobs, mean }) => jobs >= 100 && mean !== null)
  return classes.length < 2 ? undefined : classes.at(-1)!.mean! > classes[0].mean!
}

/** Returns a table of hours. */
function byWay(runs: PollardRuns, title: string, hoursOf: (name: string, way: Way) => number | undefined): Table {
  return {
    title,
    heading: ['', ...ways.map(label)],
    rows: runs.names.map((name) => [
      name,
      ...ways.map((way) => orDash(hoursOf(name, way), (value) => value.toFixed(2))),
    ]),
  }
}

function label(way: Way): string {
  return way === 'TO' ? 'TO' : way === 'None' ? 'TA' : `TA ${way}`
}

function quartiles(result: RunResult | undefined): ReadonlyArray<string> {
  const { min, q1, median, q3, max } = result?.metrics.utilization.perMinute ?? {}
  return [min, q1, median, q3, max].map((value) => orDash(value, (share) => percent(share)))
}

function inHours(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds / 3600
}
