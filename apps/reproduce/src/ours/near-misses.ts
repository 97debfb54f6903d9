import { Effect } from 'effect'
import {
  changed,
  type Figure,
  makespan,
  named,
  plan,
  type Planned,
  runAll,
  runOn,
  type Scheme,
  steady,
} from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type PaperTrace } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import * as pascual from '../pascual/paper.ts'
import { finePercent, orDash, threeDigits } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'

const large = named(paper.traces, 'Thunder', 'Atlas')
const [baseline, jigsaw, laas] = named(paper.schemes, 'Baseline', 'Jigsaw', 'LaaS')

/** Reading of a point that the Jigsaw paper leaves open. An absent field has the value of our runs for Figure 6. */
interface Reading {
  readonly name: string
  readonly topology?: string
  readonly spec?: Partial<Planned['spec']>
  /** True if every job of the log runs, of any status; absent if the log's usual filter applies. */
  readonly everyJob?: true
}

const ofLaas: ReadonlyArray<Reading> = [
  { name: 'as for Figure 6' },
  { name: 'reservation movable', spec: { reservation: 'movable' } },
  { name: 'the largest job of the window first', spec: { windowOrder: 'largest' } },
  { name: 'jobs on one leaf hold uplinks', spec: { policy: { name: 'laas', config: { leafJobsHoldUplinks: true } } } },
  { name: 'every job of the log, also cancelled jobs', everyJob: true },
  { name: '1024 nodes', topology: 'radix:16' },
  {
    name: 'the search of the code released with LaaS',
    spec: { policy: { name: 'laas', config: { search: 'as-released' } } },
  },
]

/** Other measures of LaaS's utilization, from the run of the first reading. */
const measures: ReadonlyArray<readonly [name: string, of: Figure]> = [
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
const laasUtilization = Effect.gen(function* () {
  const planned = yield* Effect.forEach(ofLaas, plannedFor)
  const outcomes = yield* runAll(planned.flat())
  const logs = ['Atlas', 'Thunder']
  const row = (name: string, reading: string, of: Figure): ReadonlyArray<string> => [
    name,
    ...logs.map((log) => orDash(outcomes.value(of, log, reading), finePercent)),
  ]
  const rows = [
    ...ofLaas.map(({ name }) => row(name, name, steady)),
    ...measures.map(([name, of]) => row(name, ofLaas[0].name, of)),
  ]
  return {
    title: `Utilization under LaaS; the paper has 90 to 91 %, and 93 % on a trace that it does not name`,
    heading: ['reading', ...logs],
    rows: rows.filter(([, ...values]) => values.some((value) => value !== '-')),
  } satisfies Table
})

const plannedFor = Effect.fnUntraced(function* ({ name, topology, spec, everyJob }: Reading) {
  const asked = everyJob ? large.map(ofEveryJob) : large
  return (yield* locateAll(asked)).map((trace): Planned => {
    const planned = plan({ ...trace, topology: topology ?? trace.topology }, paper.queue, laas)
    return { ...changed(planned, spec ?? {}), scheme: name }
  })
})

function ofEveryJob(trace: PaperTrace): PaperTrace {
  return { ...trace, source: { log: trace.name.toLowerCase(), filter: 'runtime>0' } }
}

/** Readings of the Jigsaw paper's speed-up of 20 %: 0.8 of the time, or 1.2 of the work in the same time. */
const fifths = [
  { name: 'a fifth less time', scenario: '20%' },
  { name: 'a fifth faster: 1 / 1.2 of the time', scenario: '16.7%' },
] as const
const reservations = ['fixed', 'movable'] as const

/** Table of Jigsaw's makespan over Baseline's under two readings of the Jigsaw paper's largest speed-up, 20 %. */
const bestMakespan = Effect.gen(function* () {
  const { outcomes, names } = yield* runOn(large, (trace) =>
    reservations.flatMap((reservation) => {
      const under = ({ name, spec }: Scheme): Scheme => ({
        name: `${name}, ${reservation}`,
        spec: { ...spec, reservation },
      })
      return [
        plan(trace, paper.queue, under(baseline)),
        ...fifths.map((scenario) => plan(trace, paper.queue, under(jigsaw), scenario)),
      ]
    }),
  )
  const rows = fifths.flatMap(({ name }) =>
    reservations.map((reservation) => [
      `${name}, reservation ${reservation}`,
      ...names.map((trace) =>
        orDash(
          outcomes.ratio(makespan, trace, `Jigsaw, ${reservation}`, name, `Baseline, ${reservation}`),
          threeDigits,
        ),
      ),
    ]),
  )
  return {
    title: `Makespan of Jigsaw over Baseline's with a speed-up of 20 %; the paper's best is ${paper.bestMakespan}`,
    heading: ['reading', ...names],
    rows: names.length === 0 ? [] : rows,
  } satisfies Table
})

const [llnl] = named(pascual.logs, 'LLNL')

/** Readings of LLNL's log and machine on points that the Pascual paper leaves open. */
const ofLlnl: ReadonlyArray<{ readonly name: string; readonly filter?: string; readonly installed?: number }> = [
  { name: 'as for Figure 2' },
  { name: 'times to the second', filter: 'size=requested' },
  { name: 'sizes by allocated processors, not by requested processors', filter: 'size=allocated,times=minutes' },
  { name: 'only jobs that completed', filter: 'size=requested,status=1,times=minutes' },
  { name: 'without jobs larger than half of the machine', filter: 'size=requested,nodes<=2004,times=minutes' },
  { name: 'all 4096 nodes of the tree installed', installed: 4096 },
]
const searches = ['first-fit', 'contiguous'] as const

/** Table of LLNL's mean waits under contiguous allocation and under first fit, in a first-come, first-served queue. */
const llnlWaits = Effect.gen(function* () {
  const planned = yield* Effect.forEach(
    ofLlnl,
    Effect.fnUntraced(function* ({ name, filter, installed = llnl.installed }) {
      const source = filter === undefined ? llnl.source : { log: 'thunder', filter }
      const located = yield* locateAll([{ ...llnl, source }])
      return located.flatMap((log) =>
        searches.map((search): Planned => {
          const policy = { name: 'contiguous', config: { search, installed } }
          const scheme = { name: search, spec: { ...pascual.estimates, policy } }
          return plan({ ...log, name }, pascual.queues.FCFS, scheme)
        }),
      )
    }),
  )
  const outcomes = yield* runAll(planned.flat())
  const rows = ofLlnl.flatMap(({ name }) => {
    const [firstFit, contiguous] = searches.map((search) =>
      outcomes.value(({ metrics }) => metrics.wait.mean, name, search),
    )
    if (firstFit === undefined || contiguous === undefined) return []
    return [
      [name, minutes(firstFit), minutes(contiguous), firstFit === 0 ? '-' : `x ${(contiguous / firstFit).toFixed(2)}`],
    ]
  })
  const { low, high } = pascual.waitWithoutSpeedup
  return {
    title: `Mean wait on LLNL, first come, first served; the paper has x ${low} to ${high}`,
    heading: ['reading', 'non-contiguous', 'contiguous', 'relative'],
    rows,
  } satisfies Table
})

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} min`
}

/** Experiment that varies points that papers leave open, for our values that are just outside of a paper's values. */
export const nearMisses: Experiment = Effect.map(Effect.all([laasUtilization, bestMakespan, llnlWaits]), (tables) =>
  reportOf(tables),
)
