import { basename } from 'node:path'
import { type Grouping, type JobQuery, parseJobQuery } from '@cloister/metrics'
import { Effect, Option } from 'effect'
import { describeDifferences } from './assumptions.ts'
import { LogMeasurement } from './log-measurement.ts'
import { concludeReading, readRecords, remarkOnPart } from './log-reading.ts'
import { groupTable } from './group-table.ts'
import { metricsTable } from './metrics-table.ts'
import { print, remark } from '../terminal/output.ts'
import { counted } from '../terminal/quantities.ts'
import { LogContentError } from '../errors/errors.ts'
import { OptionError, type TaggedProblem } from '@cloister/run'
import { attempt } from '../errors/attempt.ts'

export interface MeasureOptions {
  readonly logs: ReadonlyArray<string>
  readonly by: Option.Option<Grouping>
  readonly where: Option.Option<string>
  readonly json: boolean
}

export const measureLogs = Effect.fn(function* ({ logs, by: given, where: text, json }: MeasureOptions) {
  const by = Option.getOrUndefined(given)
  const where = Option.getOrUndefined(text)
  const query = where === undefined ? undefined : yield* queryOf(where)
  const measured = yield* Effect.forEach(logs, (path) => measure(path, by, query))
  const results = measured.map(({ result, assumptions, groups }) => ({
    ...result,
    assumptions,
    ...(by === undefined ? {} : { by }),
    ...(where === undefined ? {} : { where }),
    ...(by === undefined && where === undefined ? {} : { groups }),
  }))
  yield* print(json, results.length === 1 ? results[0] : results, () => {
    const names = logs.map((log) => basename(log))
    const title = [by ?? 'jobs', ...(where === undefined ? [] : [`where ${where}`])].join(' ')
    const hasGroups = by !== undefined || where !== undefined
    const ofGroups = hasGroups ? measured.map(({ groups }, at) => groupTable(title, names[at], groups)) : []
    return [metricsTable(names, results), ...ofGroups].join('\n\n')
  })
  for (const { path, warning, smallerThanNode } of measured) {
    if (warning !== undefined) yield* remark(`${path}: ${warning}`)
    if (smallerThanNode > 0)
      yield* remark(
        `${path}: ${counted(smallerThanNode, 'job')} smaller than a node held whole nodes; node-time and utilization count whole nodes`,
      )
  }
  const differences = describeDifferences(measured.map(({ assumptions }) => assumptions))
  if (differences !== undefined) yield* remark(differences)
  yield* concludeReading(measured)
})

const queryOf = (text: string): Effect.Effect<JobQuery, OptionError> =>
  Effect.try({
    try: () => parseJobQuery(text),
    catch: (error) => new OptionError({ option: 'where', reason: (error as Error).message }),
  })

export const measure = Effect.fnUntraced(function* (path: string, by?: Grouping, query?: JobQuery) {
  const measurement = new LogMeasurement(by, query)
  const outcome = yield* readRecords(path, (record) => measurement.add(record)).pipe(
    Effect.mapError((error) => named(path, error)),
  )
  const measured = yield* attempt(() => measurement.result())
  const ofPart = remarkOnPart(path, measured)
  if (ofPart !== undefined) yield* remark(ofPart)
  return { path, outcome, ...measured }
})

/** Adds the path of the log to an error, because `cloister metrics` may read several logs. */
function named(path: string, error: TaggedProblem): TaggedProblem {
  return 'path' in error ? error : new LogContentError({ path, cause: error })
}
