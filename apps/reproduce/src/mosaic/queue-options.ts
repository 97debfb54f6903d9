import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan, runAll } from '../experiment/outcomes.ts'
import type { Discipline } from '../experiment/reproduction.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { percent } from '../report/quantities.ts'
import { plain, schemesUnder } from './schemes.ts'

const traces: ReadonlyArray<string> = ['Synth-16', 'Thunder', 'Atlas']
const policies = ['Baseline', 'Jigsaw', 'Mosaic']

const options: ReadonlyArray<{ readonly name: string; readonly discipline: Discipline }> = [
  { name: 'plain', discipline: plain },
  { name: 'fixed reservation', discipline: { ...plain, reservation: 'fixed' } },
  { name: 'largest first', discipline: { ...plain, windowOrder: 'largest' } },
  { name: 'smallest first', discipline: { ...plain, windowOrder: 'smallest' } },
  { name: 'shortest first', discipline: { ...plain, windowOrder: 'shortest' } },
  { name: 'replan', discipline: { ...plain, replan: true } },
  { name: 'largest first, replan', discipline: { ...plain, windowOrder: 'largest', replan: true } },
  {
    name: 'largest first, replan, moved by 20 nodes or more',
    discipline: { ...plain, windowOrder: 'largest', replan: true, moveMinNodes: 20 },
  },
]

export const queueOptions: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(paper.traces.filter(({ name }) => traces.includes(name)))
  const planned = located.flatMap((trace) =>
    options.flatMap(({ name, discipline }) =>
      schemesUnder(discipline, `, ${name}`, policies).map((scheme) =>
        plan({ ...trace, queue: discipline.queue }, scheme),
      ),
    ),
  )
  const outcomes = yield* runAll(planned)
  const tables = policies.map((policy) => ({
    title: policy,
    heading: ['utilization, steady state', ...options.map(({ name }) => name)],
    rows: located.map(({ name: trace }) => [
      trace,
      ...options.map(({ name }) => {
        const steady = outcomes.get(trace, `${policy}, ${name}`)?.metrics.utilization.steady ?? undefined
        return steady === undefined ? '-' : percent(steady, 2)
      }),
    ]),
  }))
  return { tables, comparisons: [], charts: [] }
})
