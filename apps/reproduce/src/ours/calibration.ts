import { Effect } from 'effect'
import { type Outcomes, plan, runOn } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import type { PaperTrace, RunResult } from '../experiment/services.ts'
import { finePercent, hours, orDash, threeDigits } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'

/** Job logs with real arrivals, real waits and users' estimates. A processor of HPC2N counts as a node. */
const logs: ReadonlyArray<PaperTrace> = [
  { name: 'KTH-SP2', source: { trace: 'kth' }, arrivals: 'trace', topology: 'pgft:2;10,10;1,10;1,1' },
  { name: 'HPC2N', source: { trace: 'hpc2n' }, arrivals: 'trace', topology: 'pgft:2;12,20;1,12;1,1' },
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'trace', topology: 'pgft:2;12,12;1,12;1,1' },
]

/** Candidates of `cloister calibrate`: a queue discipline and an order. */
const candidates = [
  ['fcfs', 'submit'],
  ['easy:50', 'submit'],
  ['easy:50', 'wfp'],
  ['easy:50', 'fair-share'],
  ['conservative:50', 'submit'],
  ['fcfs', 'recorded'],
  ['easy:50', 'recorded'],
] as const

/** Options of `cloister calibrate`: reservations may move, and the scheduler knows the users' estimates. */
const asUsers = { policy: 'baseline', estimates: 'requested', reservation: 'movable' } as const

const nameOf = ([queue, order]: (typeof candidates)[number]): string =>
  order === 'submit' ? queue : `${queue}/${order}`

/** Experiment on histories: waits of simulations beside the recorded waits of the same jobs. */
export const calibration: Experiment = Effect.gen(function* () {
  const { outcomes, names } = yield* runOn(logs, (log) =>
    candidates.map((candidate) => {
      const [queue, order] = candidate
      return plan(log, queue, { name: nameOf(candidate), spec: { ...asUsers, order } })
    }),
  )
  return reportOf(names.map((log) => tableOf(log, outcomes)))
})

function tableOf(log: string, outcomes: Outcomes): Table {
  const row = (candidate: (typeof candidates)[number]): ReadonlyArray<string> => {
    const name = nameOf(candidate)
    return [name, ...figures(outcomes.get(log, name))]
  }
  return {
    title: `${log}: waits beside the recorded waits of the same jobs`,
    heading: ['candidate', 'recorded mean, h', 'mean, h', 'mean error, h', 'rank correlation', 'utilization'],
    rows: candidates.map(row),
  }
}

function figures(result: RunResult | undefined): ReadonlyArray<string> {
  if (result === undefined) return ['-', '-', '-', '-', '-']
  const { history, wait, utilization } = result.metrics
  return [
    orDash(history.wait, hours),
    orDash(wait.mean, hours),
    orDash(history.error, hours),
    orDash(history.rankCorrelation, threeDigits),
    orDash(utilization.overall, finePercent),
  ]
}
