import { basename } from 'node:path'
import { MetricsFold } from '@cloister/metrics'
import { Effect } from 'effect'
import { Argument, Command } from 'effect/cli'
import { concludeReading, logArgument, readRecords } from '../log/log-reading.ts'
import { metricsTable } from '../log/metrics-table.ts'
import { jsonFlag, print } from '../terminal/output.ts'
import { Problem, attempt } from '../errors/problem.ts'

export const metrics = Command.make(
  'metrics',
  { logs: logArgument.pipe(Argument.variadic({ min: 1 })), json: jsonFlag },
  Effect.fn(function* ({ logs, json }) {
    const measured = yield* Effect.forEach(logs, (path) => measure(path))
    const results = measured.map(({ result }) => result)
    yield* print(json, results.length === 1 ? results[0] : results, () =>
      metricsTable(
        logs.map((log) => basename(log)),
        results,
      ),
    )
    yield* concludeReading(measured)
  }),
).pipe(
  Command.withDescription(
    'Measure runs from their event logs alone: utilization, waits, turnaround, makespan, fragmentation',
  ),
  Command.withExamples([
    { command: 'cloister metrics run.ndjson --json', description: 'One run, as JSON' },
    {
      command: 'cloister metrics baseline.ndjson jigsaw.ndjson.zst',
      description: 'Two runs side by side (with --json: an array)',
    },
  ]),
)

export const measure = Effect.fnUntraced(function* (path: string) {
  const fold = new MetricsFold()
  const outcome = yield* readRecords(path, (record) => fold.add(record)).pipe(
    Effect.mapError((problem) => named(path, problem)),
  )
  const result = yield* attempt(() => fold.result())
  return { path, outcome, result }
})

function named(path: string, problem: Problem): Problem {
  return problem.message.includes(path) ? problem : new Problem(`${path}: ${problem.message}`)
}
