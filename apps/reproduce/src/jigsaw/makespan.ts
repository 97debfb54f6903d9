import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import type { Outcomes, Scheme } from '../experiment/outcomes.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown } from '../report/known-values.ts'
import type { Report } from '../report/report.ts'
import { least, most } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { isolating, runScenarios } from './scenarios.ts'
import { series } from './series.ts'

export const fig8: Experiment = Effect.gen(function* () {
  const traces = paper.traces.filter(({ name }) => name === 'Thunder' || name === 'Atlas')
  const { outcomes, names } = yield* runScenarios(traces)
  return report(outcomes, names, isolating)
})

function report(outcomes: Outcomes, names: ReadonlyArray<string>, schemes: ReadonlyArray<Scheme>): Report {
  const relative: Relative = (trace, scheme, scenario) =>
    outcomes.ratio(({ metrics }) => metrics.makespan, trace, scheme, scenario, 'Baseline')
  const tables = names.map((trace) => ({
    title: trace,
    heading: ['speed-up', ...schemes.map(({ name }) => name)],
    rows: paper.scenarios.map(({ name: scenario }) => [
      scenario,
      ...schemes.map(({ name }) => relative(trace, name, scenario)?.toFixed(3) ?? '-'),
    ]),
  }))
  const panels = names.map((trace) => ({
    title: trace,
    groups: paper.scenarios.map(({ name: scenario }) => ({
      name: scenario,
      bars: schemes.map(({ name }) => {
        const value = relative(trace, name, scenario)
        return value === undefined ? null : { value }
      }),
    })),
  }))
  const chart = {
    series: series(schemes),
    panels,
    axis: {
      label: 'Makespan relative to Baseline',
      from: 0.7,
      to: 1.2,
      step: 0.1,
      reference: 1,
      unit: 'ratio' as const,
      digits: 2,
    },
  }
  return { tables, comparisons: comparisons(relative, names), charts: [{ file: 'jigsaw-fig8.svg', chart }] }
}

type Relative = (trace: string, scheme: string, scenario: string) => number | undefined

function comparisons(relative: Relative, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const all = (scheme: string, scenarios: ReadonlyArray<string>): ReadonlyArray<number> | undefined =>
    allKnown(names.flatMap((trace) => scenarios.map((scenario) => relative(trace, scheme, scenario))))
  const spedUp = paper.scenarios.map(({ name }) => name).filter((name) => name !== 'None')
  const jigsaw = all('Jigsaw', spedUp)
  const between = allKnown(
    names.flatMap((trace) =>
      paper.scenarios.map(({ name }) => {
        const values = allKnown(['Jigsaw', 'LaaS', 'TA'].map((scheme) => relative(trace, scheme, name)))
        return values === undefined ? undefined : values[0] <= values[1] && values[1] <= values[2]
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
        longerBut20(all(ta, ['None', '5%', '10%', 'V2', 'Random']), all(ta, ['20%'])),
      ),
    ),
    state('6.3', 'makespan under LaaS is between those under Jigsaw and TA', between?.every(Boolean)),
  ]
}

function longerBut20(
  others: ReadonlyArray<number> | undefined,
  at20: ReadonlyArray<number> | undefined,
): boolean | undefined {
  return others === undefined || at20 === undefined
    ? undefined
    : others.every((value) => value > 1) && at20.every((value) => value <= 1)
}
