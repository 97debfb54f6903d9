import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan, type Planned, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { ours, schemesUnder } from './schemes.ts'

const policies = ['Baseline', 'Jigsaw', 'Mosaic']

/** Kinds of the scheduler's estimates: exact run times, users' requests, or users' requests times `factor`. */
const estimates: ReadonlyArray<{
  readonly name: string
  readonly known: 'exact' | 'requested'
  readonly factor?: number
}> = [
  { name: 'exact', known: 'exact' },
  { name: "users'", known: 'requested' },
  { name: "users', twice", known: 'requested', factor: 2 },
  { name: "users', five times", known: 'requested', factor: 5 },
]

const figures: ReadonlyArray<readonly [name: string, of: (result: RunResult) => number | null]> = [
  ['all', ({ metrics }) => metrics.turnaround.mean],
  ['over 100 nodes', ({ metrics }) => metrics.turnaround.large],
  ['makespan', ({ metrics }) => metrics.makespan],
]

export const arrivals: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(paper.realArrivals)
  const planned = located.flatMap((trace) => estimates.flatMap((each) => plannedFor(trace, each)))
  const outcomes = yield* runAll(planned)
  const isolating = policies.slice(1)
  const tables = located.map(({ name: trace }) => ({
    title: `${trace}, relative to Baseline`,
    heading: ['estimates', ...isolating.flatMap((policy) => figures.map(([what]) => `${policy}: ${what}`))],
    rows: estimates.map(({ name }) => [
      name,
      ...isolating.flatMap((policy) =>
        figures.map(([, of]) => {
          const value = outcomes.ratio(of, trace, `${policy}, ${name}`, 'None', `Baseline, ${name}`)
          return value === undefined ? '-' : value.toFixed(3)
        }),
      ),
    ]),
  }))
  return { tables, comparisons: [], charts: [] }
})

function plannedFor(
  trace: Omit<Parameters<typeof plan>[0], 'queue'>,
  { name, known, factor }: (typeof estimates)[number],
): ReadonlyArray<Planned> {
  return schemesUnder(ours, `, ${name}`, policies).map((scheme) => {
    const planned = plan({ ...trace, queue: ours.queue }, { ...scheme, spec: { ...scheme.spec, estimates: known } })
    if (factor === undefined) return planned
    const terms = [planned.spec.filter ?? '', `estimates=requested*${factor}`]
    return { ...planned, spec: { ...planned.spec, filter: terms.filter((term) => term !== '').join(',') } }
  })
}
