import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import type { Outcomes, Scheme } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { anyKnown } from '../report/known-values.ts'
import type { Report } from '../report/report.ts'
import { least } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { isolating, runScenarios } from './scenarios.ts'
import { series } from './series.ts'

const paperTraces = paper.traces.filter(({ name }) => name === 'Aug-Cab' || name === 'Oct-Cab')
type Of = 'all' | 'large'
const figure: Readonly<Record<Of, (result: RunResult) => number | null>> = {
  all: ({ metrics }) => metrics.turnaround.mean,
  large: ({ metrics }) => metrics.turnaround.large,
}

export const fig7: Experiment = Effect.gen(function* () {
  const { outcomes, names } = yield* runScenarios([...paperTraces, ...paper.realArrivals])
  return report(outcomes, names, isolating)
})

function report(outcomes: Outcomes, names: ReadonlyArray<string>, schemes: ReadonlyArray<Scheme>): Report {
  const relative = (of: Of, trace: string, scheme: string, scenario: string): number | undefined =>
    outcomes.ratio(figure[of], trace, scheme, scenario, 'Baseline')
  const show = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3))
  const tables = names.map((trace) => ({
    title: `${trace}: all jobs, jobs over 100 nodes`,
    heading: ['speed-up', ...schemes.flatMap(({ name }) => [name, 'large'])],
    rows: paper.scenarios.map(({ name: scenario }) => [
      scenario,
      ...schemes.flatMap(({ name }) => [
        show(relative('all', trace, name, scenario)),
        show(relative('large', trace, name, scenario)),
      ]),
    ]),
  }))
  const panels = names.map((trace) => ({
    title: trace,
    groups: paper.scenarios.map(({ name: scenario }) => ({
      name: scenario,
      bars: schemes.map(({ name }) => {
        const [value, outline] = [relative('all', trace, name, scenario), relative('large', trace, name, scenario)]
        return value === undefined ? null : { value, ...(outline === undefined ? {} : { outline }) }
      }),
    })),
  }))
  const chart = {
    series: series(schemes),
    panels,
    note: 'filled: all jobs; empty: jobs over 100 nodes',
    axis: {
      label: 'Turnaround relative to Baseline',
      from: 0,
      to: 2,
      step: 0.25,
      reference: 1,
      unit: 'ratio' as const,
      digits: 2,
    },
  }
  return {
    tables,
    comparisons: [...stated(relative), ...derived(relative, names)],
    charts: [{ file: 'jigsaw-fig7.svg', chart }],
  }
}

type Relative = (of: Of, trace: string, scheme: string, scenario: string) => number | undefined

function stated(relative: Relative): ReadonlyArray<Comparison> {
  const best = anyKnown(
    paperTraces.flatMap(({ name }) => paper.scenarios.map((each) => relative('all', name, 'Jigsaw', each.name))),
  )
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

function derived(relative: Relative, names: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const wins = (trace: string, over: string): boolean | undefined => {
    const pairs = anyKnown(
      paper.scenarios.map(({ name }) => {
        const [ours, theirs] = [relative('all', trace, 'Jigsaw', name), relative('all', trace, over, name)]
        return ours === undefined || theirs === undefined ? undefined : ours < theirs
      }),
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
