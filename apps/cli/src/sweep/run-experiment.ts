import { join } from 'node:path'
import { Effect } from 'effect'
import { type RunSpec, specKey } from '@cloister/run'
import type { TimedResult } from './cell-result.ts'
import { CellWorkers } from './cell-workers.ts'
import type { FailedRun } from './failed-runs.ts'
import { remark } from '../terminal/output.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { count } from '../terminal/quantities.ts'
import type { ResultsFile } from './results-file.ts'
import { program } from '../run/log-target.ts'
import { type CellOptions, build, logName } from './run-cell.ts'
import { SweepProgress } from './sweep-progress.ts'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import { makeProgress } from '../terminal/progress.ts'

export interface ExperimentOptions extends CellOptions {
  readonly workers: number
}

export interface ExperimentOutcome {
  /** Results of the experiment, in the order of the cells. */
  readonly results: ReadonlyArray<TimedResult>
  /** Failed cells with reasons, in the order of the cells. The caller prints the reasons. */
  readonly skipped: ReadonlyArray<FailedRun>
}

/** Runs the cells without a result, audit or kept log on worker threads. Writes each result when its run ends. */
export const runExperiment = Effect.fnUntraced(function* (
  cells: ReadonlyArray<RunSpec>,
  versions: ReadonlyMap<string, string>,
  results: ResultsFile,
  options: ExperimentOptions,
) {
  const { exists, makeFolder } = yield* Files
  const isDone = (cell: RunSpec): boolean => {
    const result = results.get(specKey(cell))
    return (
      result !== undefined &&
      result.program === program &&
      result.policy === versions.get(cell.policy) &&
      !(options.audit && result.audit === null) &&
      !(options.keepLogs !== undefined && !exists(join(options.keepLogs, logName(cell))))
    )
  }
  const todo = cells.filter((cell) => !isDone(cell))
  yield* remarkOnStored(cells.filter(isDone), results)
  if (options.keepLogs !== undefined) yield* attempt(() => makeFolder(options.keepLogs!))

  const reasons = new Map<string, string>()
  const progress = new SweepProgress(todo.length, yield* makeProgress)
  const remarks = new Set<string>()
  const say = Effect.fnUntraced(function* (text: string) {
    if (remarks.has(text)) return
    remarks.add(text)
    progress.clear()
    yield* remark(text)
  })
  const pool = yield* (yield* CellWorkers).pool(Math.min(options.workers, todo.length))
  const run = Effect.fnUntraced(function* (cell: RunSpec) {
    const answer = yield* pool.run({ cell, options }, (share) => progress.update(cell, share))
    yield* Effect.forEach(answer.remarks, say)
    if (answer.type === 'failed') {
      reasons.set(specKey(cell), answer.reason)
      yield* attempt(() => results.skip(cell))
    } else yield* attempt(() => results.add(answer.result, answer.times))
    progress.finished(cell)
  })
  yield* Effect.forEach(todo, run, { concurrency: options.workers, discard: true })
  progress.clear()
  return {
    results: cells.flatMap((cell) => (reasons.has(specKey(cell)) ? [] : [results.get(specKey(cell))!])),
    skipped: cells.flatMap((cell) =>
      reasons.has(specKey(cell)) ? [{ cell, reason: reasons.get(specKey(cell))! }] : [],
    ),
  } satisfies ExperimentOutcome
}, Effect.scoped)

/** Returns name and version of every policy in the cells, by the name in the cells. Fails if a policy is missing. */
export const policyVersions = Effect.fnUntraced(function* (cells: ReadonlyArray<RunSpec>) {
  const policies = yield* PolicyLookup
  const versions = new Map<string, string>()
  for (const name of new Set(cells.map(({ policy }) => policy))) {
    const { policy } = yield* policies.find(name)
    versions.set(name, `${policy.name}@${policy.version}`)
  }
  return versions
})

const remarkOnStored = Effect.fnUntraced(function* (stored: ReadonlyArray<RunSpec>, results: ResultsFile) {
  if (results.tornBytes > 0)
    yield* remark(`${results.path}: the last line was torn and is cut off; the cell of this line runs again`)
  if (stored.length === 0) return
  const others = stored.filter((cell) => results.get(specKey(cell))!.build !== build()).length
  yield* remark(
    `${results.path} already has ${count(stored.length)} results of the experiment${others === 0 ? '' : `, ${count(others)} of these from another build of ${program}; --force runs all cells again`}`,
  )
})
