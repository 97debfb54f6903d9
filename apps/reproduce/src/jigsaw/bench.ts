import { Effect } from 'effect'
import { makespan, named, type Outcomes, plan, runOn, steady } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown, anyKnown, finePercent, least, most, orDash, threeDigits } from '../report/numbers.ts'
import { crossTable, reportOf } from '../report/report.ts'
import * as paper from './paper.ts'

/** Schemes of the Jigsaw paper by our schemes on the bench. The paper does not describe its code of TA. */
const schemeOfPaper: Readonly<Record<string, string>> = {
  Baseline: 'Baseline',
  'Jigsaw bench': 'Jigsaw',
  'LaaS bench': 'LaaS',
  'TA 2017': 'TA',
  'TA, fewest free first': 'TA',
}
const schemes = [...paper.schemes, ...paper.bench, ...paper.readings].filter(({ name }) => name in schemeOfPaper)
const isolating = ['Jigsaw bench', 'LaaS bench', 'TA 2017']
const scenarios = paper.scenarios.map(({ name }) => name)
const speedups = scenarios.filter((name) => name !== 'None')

/** Experiment on the authors' bench: the figures of utilization and makespan without Cab. */
export const bench: Experiment = Effect.gen(function* () {
  const large = named(paper.traces, 'Thunder', 'Atlas')
  const { outcomes, names } = yield* runOn([...paper.benchTraces, ...large], (trace) => [
    ...schemes.map((scheme) => plan(trace, paper.queue, scheme)),
    ...(large.some(({ name }) => name === trace.name)
      ? named(schemes, ...isolating).flatMap((scheme) =>
          named(paper.scenarios, ...speedups).map((scenario) => plan(trace, paper.queue, scheme, scenario)),
        )
      : []),
  ])
  const relative = (trace: string, scheme: string, scenario: string): number | undefined =>
    outcomes.ratio(makespan, trace, scheme, scenario, 'Baseline')
  const loaded = names.filter((name) => large.some((each) => each.name === name))
  return reportOf(
    [
      crossTable(
        'Utilization',
        'utilization, steady state',
        names,
        schemes.map(({ name }) => name),
        (trace, scheme) => orDash(outcomes.value(steady, trace, scheme), finePercent),
      ),
      ...loaded.map((trace) =>
        crossTable(`Makespan relative to Baseline, ${trace}`, 'speed-up', scenarios, isolating, (scenario, scheme) =>
          orDash(relative(trace, scheme, scenario), threeDigits),
        ),
      ),
    ],
    [...ofUtilizations(outcomes, names), ...ofMakespans(relative, loaded)],
  )
})

/** The Jigsaw paper states whole percents, so the comparisons round our utilizations. */
function ofUtilizations(outcomes: Outcomes, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const rounded = (trace: string, scheme: string): number | undefined => {
    const value = outcomes.value(steady, trace, scheme)
    return value && Math.round(100 * value) / 100
  }
  const laas = anyKnown(names.map((trace) => rounded(trace, 'LaaS bench')))
  return [
    ...schemes.flatMap(({ name }) =>
      paper.utilization
        .filter(({ scheme }) => scheme === schemeOfPaper[name])
        .flatMap(({ only, except, ...range }) =>
          names
            .filter((trace) => (only?.includes(trace) ?? true) && !(except?.includes(trace) ?? false))
            .map((trace) =>
              compare('6.1', `utilization under ${name}, rounded: ${trace}`, 'share', range, rounded(trace, name)),
            ),
        ),
    ),
    compare(
      '6.1',
      'utilization under LaaS bench on its best trace, rounded',
      'share',
      paper.bestLaasUtilization,
      laas && most(laas),
    ),
  ]
}

function ofMakespans(
  relative: (trace: string, scheme: string, scenario: string) => number | undefined,
  names: ReadonlyArray<string>,
): ReadonlyArray<Comparison> {
  const all = (scheme: string, under: ReadonlyArray<string>): ReadonlyArray<number> | undefined =>
    allKnown(names.flatMap((trace) => under.map((scenario) => relative(trace, scheme, scenario))))
  const spedUp = all('Jigsaw bench', speedups)
  const [jigsaw, laas, ta] = isolating.map((scheme) => all(scheme, scenarios))
  return [
    ...isolating.map((scheme) => {
      const found = all(scheme, ['None'])
      const value = paper.worstMakespan[schemeOfPaper[scheme]]
      return compare('6.3', `worst makespan under ${scheme}, no speed-up`, 'ratio', value, found && most(found))
    }),
    compare(
      '6.3',
      'worst makespan under Jigsaw bench with speed-ups',
      'ratio',
      { low: 0, high: 1 },
      spedUp && most(spedUp),
    ),
    compare(
      '6.3',
      'best makespan under Jigsaw bench with speed-ups',
      'ratio',
      paper.bestMakespan,
      spedUp && least(spedUp),
    ),
    state(
      '6.3',
      'makespan under LaaS bench is between those under Jigsaw bench and TA 2017',
      jigsaw && laas && ta && laas.every((value, at) => jigsaw[at] <= value && value <= ta[at]),
    ),
  ]
}
