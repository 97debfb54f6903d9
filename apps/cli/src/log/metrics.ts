import { basename } from 'node:path'
import { type Header, headerTopology } from '@cloister/eventlog'
import { type Grouping, MetricsFold } from '@cloister/metrics'
import { Effect, Option } from 'effect'
import { type Assumptions, assumptionsOf, describeDifferences } from './assumptions.ts'
import { concludeReading, readRecords } from './log-reading.ts'
import { groupTable } from './group-table.ts'
import { metricsTable } from './metrics-table.ts'
import { warningOfOverruns } from '../run/remarks.ts'
import { print, remark } from '../terminal/output.ts'
import { LogContentError } from '../errors/errors.ts'
import type { TaggedProblem } from '@cloister/run'
import { attempt } from '../errors/attempt.ts'

export interface MeasureOptions {
  readonly logs: ReadonlyArray<string>
  readonly by: Option.Option<Grouping>
  readonly json: boolean
}

export const measureLogs = Effect.fn(function* ({ logs, by: given, json }: MeasureOptions) {
  const by = Option.getOrUndefined(given)
  const measured = yield* Effect.forEach(logs, (path) => measure(path, by))
  const results = measured.map(({ result, assumptions, groups }) => ({
    ...result,
    assumptions,
    ...(by === undefined ? {} : { by, groups }),
  }))
  yield* print(json, results.length === 1 ? results[0] : results, () => {
    const names = logs.map((log) => basename(log))
    const ofGroups = by === undefined ? [] : measured.map(({ groups }, at) => groupTable(by, names[at], groups))
    return [metricsTable(names, results), ...ofGroups].join('\n\n')
  })
  for (const { path, warning } of measured) if (warning !== undefined) yield* remark(`${path}: ${warning}`)
  const differences = describeDifferences(measured.map(({ assumptions }) => assumptions))
  if (differences !== undefined) yield* remark(differences)
  yield* concludeReading(measured)
})

export const measure = Effect.fnUntraced(function* (path: string, by?: Grouping) {
  const fold = new MetricsFold(by)
  let assumptions: Assumptions | undefined
  let warning: string | undefined
  let part: Header['part']
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') {
      const machine = headerTopology(record)
      assumptions ??= assumptionsOf(record, machine)
      warning = warningOfOverruns(record.overruns, machine.nodes)
      part = record.part
    }
    fold.add(record)
  }).pipe(Effect.mapError((error) => named(path, error)))
  if (part !== undefined)
    yield* remark(
      `${path} is a part of a run, from ${part.from} s to ${part.until} s: its figures are those of that part`,
    )
  const result = yield* attempt(() => fold.result())
  // Without a header there is no result.
  return { path, outcome, result, assumptions: assumptions!, warning, groups: fold.groups() }
})

/** One log of several: an error says which. */
function named(path: string, error: TaggedProblem): TaggedProblem {
  return 'path' in error ? error : new LogContentError({ path, cause: error })
}
