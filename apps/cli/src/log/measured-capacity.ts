import type { Metrics } from '@cloister/metrics'
import { capacityMeans } from '@cloister/replay'
import { attempt } from '@cloister/run'
import { Effect } from 'effect'
import { refuseIf } from '../commands/flags.ts'
import type { MeasuredCapacity } from '../results/metrics.ts'
import { makeProgress } from '../terminal/progress.ts'
import { decimal, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { askedPolicies } from './asked-policies.ts'
import { stepsOf } from './capacity.ts'
import { headerOf, RepeatedReading } from './log-reading.ts'

/** Path of a log, with the metrics of the run in the log. */
interface MeasuredFile {
  readonly path: string
  readonly result: Metrics
}

/** Asks the policy of a measured log about the largest job that fits, after every change of nodes or links. */
export const capacityOf = Effect.fnUntraced(function* ({ path, result }: MeasuredFile) {
  const reading = new RepeatedReading(path, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  yield* refuseIf(
    header.options.queue === 'external',
    `--capacity: ${path} is the log of a real machine, whose scheduler cannot be asked; cloister capacity --every S --policy NAME asks another policy`,
  )
  const [policy] = yield* askedPolicies(header, [])
  const steps = yield* attempt(() => stepsOf(reading, header, policy, {}))
  const steady = result.steadyState
  return {
    ...capacityMeans(steps),
    steady: steady === null ? null : capacityMeans(steps, steady.from, steady.to),
  } satisfies MeasuredCapacity
})

/** Returns a table of the means, with a column for each log. */
export function measuredCapacityTable(names: ReadonlyArray<string>, measured: ReadonlyArray<MeasuredCapacity>): string {
  const row = (label: string, of: (each: MeasuredCapacity) => string): ReadonlyArray<string> => [
    label,
    ...measured.map(of),
  ]
  return table(
    ['time-weighted means', ...names],
    [
      row('idle nodes', ({ idle }) => decimal(idle, 1)),
      row('largest job that fits, nodes', ({ largest }) => decimal(largest, 1)),
      row('largest job / idle nodes', ({ share }) => percent(share, 2)),
      row('largest job / idle nodes, steady state', ({ steady }) => percent(steady?.share ?? null, 2)),
    ],
  )
}
