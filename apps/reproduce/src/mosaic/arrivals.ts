import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { ours, schemesUnder } from './schemes.ts'

const policies = ['Baseline', 'Jigsaw', 'Mosaic']
const estimates = ['exact', 'requested'] as const

const figures: ReadonlyArray<readonly [name: string, of: (result: RunResult) => number | null]> = [
  ['all', ({ metrics }) => metrics.turnaround.mean],
  ['over 100 nodes', ({ metrics }) => metrics.turnaround.large],
  ['makespan', ({ metrics }) => metrics.makespan],
]

export const arrivals: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(paper.realArrivals)
  const planned = located.flatMap((trace) =>
    estimates.flatMap((known) =>
      schemesUnder(ours, '', policies).map(({ name, spec }) =>
        plan({ ...trace, queue: ours.queue }, { name: `${name}, ${known}`, spec: { ...spec, estimates: known } }),
      ),
    ),
  )
  const outcomes = yield* runAll(planned)
  const isolating = policies.slice(1)
  const tables = located.map(({ name: trace }) => ({
    title: `${trace}, relative to Baseline`,
    heading: ['estimates', ...isolating.flatMap((policy) => figures.map(([what]) => `${policy}: ${what}`))],
    rows: estimates.map((known) => [
      known,
      ...isolating.flatMap((policy) =>
        figures.map(([, of]) => {
          const value = outcomes.ratio(of, trace, `${policy}, ${known}`, 'None', `Baseline, ${known}`)
          return value === undefined ? '-' : value.toFixed(3)
        }),
      ),
    ]),
  }))
  return { tables, comparisons: [], charts: [] }
})
