import { Effect } from 'effect'
import { plan, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import type { Table } from '../report/report.ts'

/** Readings of the Jigsaw paper's speed-up of 20 %: 0.8 of the time, or 1.2 of the work in the same time. */
const scenarios = [
  { name: 'a fifth less time', scenario: '20%' },
  { name: 'a fifth faster: 1 / 1.2 of the time', scenario: '16.7%' },
] as const
const reservations = ['fixed', 'movable'] as const

const [baseline] = paper.schemes
const [jigsaw] = paper.schemes.filter(({ name }) => name === 'Jigsaw')
const logs = paper.traces.filter(({ name }) => name === 'Thunder' || name === 'Atlas')

/** Table of Jigsaw's makespan over Baseline's under two readings of the Jigsaw paper's largest speed-up, 20 %. */
export const bestMakespan = Effect.gen(function* () {
  const located = yield* locateAll(logs)
  const planned = located.flatMap((trace) =>
    reservations.flatMap((reservation) => {
      const under = (scheme: (typeof paper.schemes)[number]) => ({
        name: `${scheme.name}, ${reservation}`,
        spec: { ...scheme.spec, reservation },
      })
      const on = { ...trace, queue: paper.queue }
      return [plan(on, under(baseline)), ...scenarios.map((scenario) => plan(on, under(jigsaw), scenario))]
    }),
  )
  const outcomes = yield* runAll(planned)
  const rows = scenarios.flatMap(({ name }) =>
    reservations.map((reservation) => [
      `${name}, reservation ${reservation}`,
      ...located.map(
        (trace) =>
          outcomes
            .ratio(
              ({ metrics }) => metrics.makespan,
              trace.name,
              `Jigsaw, ${reservation}`,
              name,
              `Baseline, ${reservation}`,
            )
            ?.toFixed(3) ?? '-',
      ),
    ]),
  )
  return {
    title: `Makespan of Jigsaw over Baseline's with a speed-up of 20 %; the paper's best is ${paper.bestMakespan}`,
    heading: ['reading', ...located.map(({ name }) => name)],
    rows: located.length === 0 ? [] : rows,
  } satisfies Table
})
