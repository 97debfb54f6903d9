import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import type { Records } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { mean, most, sum } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import { first, type Individual, runAlone, type Single } from './alone.ts'
import * as paper from './paper.ts'
import { drawn, spread } from './runs.ts'

export const table4: Experiment<Records> = Effect.gen(function* () {
  const found = yield* runAlone(['RHVD', 'RD'], ['every second ended', 'half full'])
  const table = {
    title: `Execution saved, mean of ${drawn}, least and most`,
    heading: ['log', 'pattern', 'machine', ...paper.ours],
    rows: found.map((each) => [
      each.log,
      each.pattern,
      each.occupation,
      ...paper.ours.map((algorithm) => spread(savedOf(each, algorithm))),
    ]),
  }
  return reportOf(
    [table],
    paper.logs.flatMap(({ name }) =>
      (['RHVD', 'RD'] as const).flatMap((pattern) => inTable4(name, pattern, own(found, name, pattern))),
    ),
  )
})

function own(found: ReadonlyArray<Individual>, log: paper.Log['name'], pattern: paper.Pattern): Individual | undefined {
  return found.find((each) => each.log === log && each.pattern === pattern && each.occupation === first)
}

function inTable4(
  log: paper.Log['name'],
  pattern: 'RHVD' | 'RD',
  found: Individual | undefined,
): ReadonlyArray<Comparison> {
  const all = found && paper.ours.map((algorithm) => mean(savedOf(found, algorithm)))
  return [
    ...paper.ours.map((algorithm, at) =>
      compare(
        'Table 4',
        `execution saved by ${algorithm.toLowerCase()}, ${log}, ${pattern}`,
        'share',
        paper.table4[log][pattern][algorithm],
        all?.[at],
      ),
    ),
    state(
      '6.3',
      `each algorithm saves something: ${log}, ${pattern}`,
      all?.every((share) => share > 0),
    ),
    state(
      '6.3',
      `balanced and adaptive save no less than greedy: ${log}, ${pattern}`,
      all && Math.min(all[1], all[2]) >= all[0],
    ),
  ]
}

type Ours = (typeof paper.ours)[number]

export const fig7: Experiment<Records> = Effect.gen(function* () {
  const found = yield* runAlone(['RD'], [first])
  const theta = own(found, 'Theta', 'RD')
  const [jobs = []] = theta?.draws ?? []
  const quarter = (at: number): ReadonlyArray<Single> =>
    jobs.slice((at * jobs.length) / 4, ((at + 1) * jobs.length) / 4)
  const rows =
    theta === undefined
      ? []
      : [0, 1, 2, 3].map((at) => [
          `${at + 1}`,
          ...paper.algorithms.map((name) => (sum(quarter(at).map(({ times }) => times[name])) / 3_600_000).toFixed(1)),
        ])
  const table = {
    title: 'Hours of execution, Theta, RD, first draw',
    heading: ['quarter of the jobs', ...paper.algorithms],
    rows,
  }
  return reportOf(
    [table],
    paper.logs.map(({ name }) => {
      const its = own(found, name, 'RD')
      return compare(
        '6.3',
        `most saved by a single job, ${name}, RD`,
        'share',
        paper.mostSaved[name].individual,
        its && mean(its.draws.map(mostSaved)),
      )
    }),
  )
})

function mostSaved(jobs: ReadonlyArray<Single>): number {
  return most(paper.ours.flatMap((algorithm) => jobs.map(({ times }) => 1 - times[algorithm] / times.Default)))
}

/** Ranges of job sizes for Figure 8, in nodes of the machine. The Mishra paper does not name the ranges of Figure 8. */
const ranges: ReadonlyArray<readonly [from: number, to: number]> = [
  [2, 16],
  [17, 64],
  [65, 256],
  [257, 1024],
  [1025, Infinity],
]

export const fig8: Experiment<Records> = Effect.gen(function* () {
  const found = yield* runAlone(['RD', 'RHVD', 'Binomial'], [first])
  const table = {
    title: `Mean cost of a job that communicates, binomial, ${drawn}, by nodes on the machine`,
    heading: ['log', 'nodes', 'jobs', ...paper.algorithms],
    rows: found
      .filter(({ pattern }) => pattern === 'Binomial')
      .flatMap((each) => ranges.flatMap((range) => costsInRange(each, range))),
  }
  const comparisons = paper.logs.flatMap(({ name }) =>
    (['RD', 'RHVD', 'Binomial'] as const).map((pattern) => {
      const its = own(found, name, pattern)
      return compare(
        '6.4',
        `cost saved on average over the algorithms, ${name}, ${pattern}`,
        'share',
        paper.costs[name][pattern],
        its && mean(paper.ours.map((algorithm) => mean(savedOf(its, algorithm, 'costs')))),
      )
    }),
  )
  const binomial = paper.logs.flatMap(({ name }) => own(found, name, 'Binomial') ?? [])
  return reportOf(
    [table],
    [
      ...comparisons,
      ...paper.ours.map((algorithm) =>
        compare(
          '6.4',
          `cost saved by ${algorithm.toLowerCase()}, binomial, mean of the logs`,
          'share',
          paper.costsOfBinomial[algorithm],
          binomial.length < paper.logs.length
            ? undefined
            : mean(binomial.map((each) => mean(savedOf(each, algorithm, 'costs')))),
        ),
      ),
    ],
  )
})

function costsInRange(
  { log, draws }: Individual,
  [from, to]: (typeof ranges)[number],
): ReadonlyArray<ReadonlyArray<string>> {
  const costs = draws.flat().flatMap(({ nodes, costs }) => (nodes >= from && nodes <= to ? (costs ?? []) : []))
  if (costs.length === 0) return []
  const nodes = to === Infinity ? `${from}+` : `${from}-${to}`
  return [
    [
      log,
      nodes,
      String(costs.length),
      ...paper.algorithms.map((algorithm) => mean(costs.map((each) => each[algorithm])).toFixed(1)),
    ],
  ]
}

/** Returns for each draw the mean share of the default's run time, or of its cost, that an algorithm saves. */
function savedOf({ draws }: Individual, algorithm: Ours, of: 'times' | 'costs' = 'times'): ReadonlyArray<number> {
  return draws.map((jobs) => {
    const values = jobs.flatMap((job) => job[of] ?? []).filter(({ Default }) => Default > 0)
    return mean(values.map((each) => 1 - each[algorithm] / each.Default))
  })
}
