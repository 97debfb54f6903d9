import { Effect } from 'effect'
import { type Outcomes, plan, type Planned, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll, type PaperTrace } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { percent } from '../report/quantities.ts'
import type { Table } from '../report/report.ts'

/** Reading of a point that the Jigsaw paper leaves open. An absent field has the value of our runs for Figure 6. */
interface Reading {
  readonly name: string
  readonly topology?: string
  readonly spec?: Partial<Planned['spec']>
  /** True if every job of the log runs, of any status; absent if the log's usual filter applies. */
  readonly everyJob?: true
}

const readings: ReadonlyArray<Reading> = [
  { name: 'as for Figure 6' },
  { name: 'reservation movable', spec: { reservation: 'movable' } },
  { name: 'window of 500 jobs', spec: { queue: 'easy:500' } },
  { name: 'the largest job of the window first', spec: { windowOrder: 'largest' } },
  { name: 'jobs on one leaf hold uplinks', spec: { policy: { name: 'laas', config: { leafJobsHoldUplinks: true } } } },
  { name: 'every job of the log, also cancelled jobs', everyJob: true },
  { name: '1024 nodes', topology: 'radix:16' },
]

const logs = ['Atlas', 'Thunder']
const [laas] = paper.schemes.filter(({ name }) => name === 'LaaS')
const traces = paper.traces.filter(({ name }) => logs.includes(name))

/** Other measures of LaaS's utilization, from the run of the first reading. */
const measures: ReadonlyArray<readonly [name: string, of: (result: RunResult) => number | null]> = [
  ['until the last end, not the last start', ({ metrics }) => metrics.utilization.overall],
  [
    'nodes beyond the request count as used',
    ({ metrics: { utilization, fragmentation } }) =>
      utilization.steady === null || fragmentation.internal === null
        ? null
        : utilization.steady + fragmentation.internal,
  ],
]

/** Table of LaaS's utilization on Atlas and Thunder under each reading of the Jigsaw paper and by each measure. */
export const laasUtilization = Effect.gen(function* () {
  const planned = yield* Effect.forEach(readings, plannedFor)
  const outcomes = yield* runAll(planned.flat())
  return tableOf(outcomes)
})

const plannedFor = Effect.fnUntraced(function* ({ name, topology, spec, everyJob }: Reading) {
  const asked = everyJob ? traces.map(ofEveryJob) : traces
  return (yield* locateAll(asked)).map((trace): Planned => {
    const planned = plan({ ...trace, queue: paper.queue, topology: topology ?? trace.topology }, laas)
    return { ...planned, scheme: name, spec: { ...planned.spec, ...spec } }
  })
})

function ofEveryJob(trace: PaperTrace): PaperTrace {
  return { ...trace, source: { log: trace.name.toLowerCase(), filter: 'runtime>0' } }
}

function tableOf(outcomes: Outcomes): Table {
  const shown = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : percent(value, 2)
  const [first] = readings
  const rows = [
    ...readings.map(({ name }) => [
      name,
      ...logs.map((log) => shown(outcomes.get(log, name)?.metrics.utilization.steady)),
    ]),
    ...measures.map(([name, of]) => [
      name,
      ...logs.map((log) => {
        const result = outcomes.get(log, first.name)
        return shown(result === undefined ? undefined : of(result))
      }),
    ]),
  ]
  return {
    title: `Utilization under LaaS; the paper has 90 to 91 %, and 93 % on a trace that it does not name`,
    heading: ['reading', ...logs],
    rows: rows.filter(([, ...values]) => values.some((value) => value !== '-')),
  }
}
