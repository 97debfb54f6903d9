import { Effect } from 'effect'
import { makespan, named, type Outcomes, plan, runOn, turnaround } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import type { PaperTrace } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown, anyKnown, least, most, ofBoth, orDash, threeDigits } from '../report/numbers.ts'
import { type Bar, type BarChart, barGroup, crossTable, relativeAxis, reportOf, seriesOf } from '../report/report.ts'
import * as paper from './paper.ts'

const [baseline, ...isolating] = paper.schemes
const schemes = isolating.map(({ name }) => name)
const scenarios = paper.scenarios.map(({ name }) => name)

/** Runs every scheme except Baseline in every speed-up scenario of the Jigsaw paper, and Baseline without speed-up. */
function runScenarios(traces: ReadonlyArray<PaperTrace>) {
  return runOn(traces, (trace) => [
    plan(trace, paper.queue, baseline),
    ...isolating.flatMap((scheme) => paper.scenarios.map((scenario) => plan(trace, paper.queue, scheme, scenario))),
  ])
}

/** Returns a panel for each trace with a group for each scenario. */
function panelsOf(
  traces: ReadonlyArray<string>,
  bar: (trace: string, scheme: string, scenario: string) => number | Bar | undefined,
): BarChart['panels'] {
  return traces.map((trace) => ({
    title: trace,
    groups: scenarios.map((scenario) => barGroup(scenario, schemes, (scheme) => bar(trace, scheme, scenario))),
  }))
}

const cab = named(paper.traces, 'Aug-Cab', 'Oct-Cab')

export const fig7: Experiment = Effect.gen(function* () {
  const { outcomes, names } = yield* runScenarios([...cab, ...paper.realArrivals])
  const relative = relativeTurnaround(outcomes)
  const tables = names.map((trace) => ({
    title: `${trace}: all jobs, jobs over 100 nodes`,
    heading: ['speed-up', ...schemes.flatMap((scheme) => [scheme, 'large'])],
    rows: scenarios.map((scenario) => [
      scenario,
      ...schemes.flatMap((scheme) =>
        (['all', 'large'] as const).map((of) => orDash(relative(of, trace, scheme, scenario), threeDigits)),
      ),
    ]),
  }))
  const panels = panelsOf(names, (trace, scheme, scenario) => {
    const [value, outline] = [relative('all', trace, scheme, scenario), relative('large', trace, scheme, scenario)]
    return value === undefined || outline === undefined ? value : { value, outline }
  })
  const chart = {
    series: seriesOf(schemes),
    panels,
    note: 'filled: all jobs; empty: jobs over 100 nodes',
    axis: relativeAxis('Turnaround relative to Baseline', 0, 2, 0.25),
  }
  return reportOf(tables, [...stated(relative), ...derived(relative, names)], [{ file: 'jigsaw-fig7.svg', chart }])
})

type RelativeTurnaround = ReturnType<typeof relativeTurnaround>

function relativeTurnaround(outcomes: Outcomes) {
  return (of: 'all' | 'large', trace: string, scheme: string, scenario: string): number | undefined =>
    outcomes.ratio(
      of === 'all' ? turnaround : ({ metrics }) => metrics.turnaround.large,
      trace,
      scheme,
      scenario,
      'Baseline',
    )
}

function stated(relative: RelativeTurnaround): ReadonlyArray<Comparison> {
  const best = anyKnown(cab.flatMap(({ name }) => scenarios.map((each) => relative('all', name, 'Jigsaw', each))))
  return [
    ...paper.turnaround.flatMap(({ trace, scheme, scenarios, of, low, high }) =>
      scenarios.map((scenario) =>
        compare(
          '6.2',
          `turnaround of ${of} jobs under ${scheme}, ${scenario}, ${trace}`,
          'ratio',
          { low, high },
          relative(of, trace, scheme, scenario),
        ),
      ),
    ),
    compare('1', 'best turnaround under Jigsaw, Cab', 'ratio', paper.bestTurnaround, best && least(best)),
  ]
}

function derived(relative: RelativeTurnaround, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const wins = (trace: string, over: string): boolean | undefined => {
    const pairs = anyKnown(
      scenarios.map((name) =>
        ofBoth(relative('all', trace, 'Jigsaw', name), relative('all', trace, over, name), (a, b) => a < b),
      ),
    )
    return pairs?.every(Boolean)
  }
  return names.flatMap((trace) =>
    ['LaaS', 'TA'].map((over) =>
      state(
        '6.2',
        `Jigsaw's turnaround is shorter than that of ${over} in every scenario: ${trace}`,
        wins(trace, over),
      ),
    ),
  )
}

export const fig8: Experiment = Effect.gen(function* () {
  const { outcomes, names } = yield* runScenarios(named(paper.traces, 'Thunder', 'Atlas'))
  const relative = (trace: string, scheme: string, scenario: string): number | undefined =>
    outcomes.ratio(makespan, trace, scheme, scenario, 'Baseline')
  const chart = {
    series: seriesOf(schemes),
    panels: panelsOf(names, relative),
    axis: relativeAxis('Makespan relative to Baseline', 0.7, 1.2, 0.1),
  }
  return reportOf(
    names.map((trace) =>
      crossTable(trace, 'speed-up', scenarios, schemes, (scenario, scheme) =>
        orDash(relative(trace, scheme, scenario), threeDigits),
      ),
    ),
    ofMakespans(relative, names),
    [{ file: 'jigsaw-fig8.svg', chart }],
  )
})

function ofMakespans(
  relative: (trace: string, scheme: string, scenario: string) => number | undefined,
  names: ReadonlyArray<string>,
): ReadonlyArray<Comparison> {
  const all = (scheme: string, under: ReadonlyArray<string>): ReadonlyArray<number> | undefined =>
    allKnown(names.flatMap((trace) => under.map((scenario) => relative(trace, scheme, scenario))))
  const jigsaw = all(
    'Jigsaw',
    scenarios.filter((name) => name !== 'None'),
  )
  const between = allKnown(
    names.flatMap((trace) =>
      scenarios.map((scenario) => {
        const values = allKnown(['Jigsaw', 'LaaS', 'TA'].map((scheme) => relative(trace, scheme, scenario)))
        return values && values[0] <= values[1] && values[1] <= values[2]
      }),
    ),
  )
  return [
    ...Object.entries(paper.worstMakespan).map(([scheme, value]) => {
      const found = all(scheme, ['None'])
      return compare('6.3', `worst makespan under ${scheme}, no speed-up`, 'ratio', value, found && most(found))
    }),
    compare('6.3', 'worst makespan under Jigsaw with speed-ups', 'ratio', { low: 0, high: 1 }, jigsaw && most(jigsaw)),
    compare('6.3', 'best makespan under Jigsaw with speed-ups', 'ratio', paper.bestMakespan, jigsaw && least(jigsaw)),
    ...['TA', 'TA 2017'].map((ta) =>
      state(
        '6.3',
        `makespan under ${ta} is longer than under Baseline except at a speed-up of 20%`,
        ofBoth(
          all(ta, ['None', '5%', '10%', 'V2', 'Random']),
          all(ta, ['20%']),
          (others, at20) => others.every((value) => value > 1) && at20.every((value) => value <= 1),
        ),
      ),
    ),
    state('6.3', 'makespan under LaaS is between those under Jigsaw and TA', between?.every(Boolean)),
  ]
}
