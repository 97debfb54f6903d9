import { join } from 'node:path'
import { attempt, findOrder, findRouter, Policies, type RunSpec, specKey } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect } from 'effect'
import { cellDigest, type CellResult, type TimedResult } from './cell-result.ts'
import { type CellWatcher, CellWorkers } from './cell-workers.ts'
import type { FailedRun } from './failed-runs.ts'
import type { ResultsFile } from './results-file.ts'
import { type CellOptions, logName, orderVersion, routerVersion } from './run-cell.ts'

/** Cell of an experiment, with the digest that identifies the cell, the program and the policy. */
export interface Cell {
  readonly cell: RunSpec
  readonly digest: string
}

/** Settings for the cells of an experiment that run at the same time. */
export interface ExperimentOptions extends CellOptions {
  readonly workers: number
}

/** Results and failures of an experiment. */
export interface ExperimentOutcome {
  /** Results of the experiment, in the order of the cells. */
  readonly results: ReadonlyArray<TimedResult>
  /** Failed cells with reasons, in the order of the cells. */
  readonly skipped: ReadonlyArray<FailedRun>
}

/** State of an experiment before its first run. */
export interface ExperimentBegin {
  /** Number of cells that run. */
  readonly cells: number
  /** Number of cells with a stored result, and the number of these results by another build of the program. */
  readonly stored: number
  readonly byOtherBuilds: number
}

/**
 * Runs the cells without a result, audit or kept log on worker threads. Writes each result when its run ends.
 * `versionsOf` comes from `policyVersions`. `begin` is called once before the first
 * run, and returns the receiver of progress and remarks.
 */
export const runExperiment = Effect.fnUntraced(function* (
  cells: ReadonlyArray<RunSpec>,
  versionsOf: VersionsOf,
  results: ResultsFile,
  options: ExperimentOptions,
  begin: (state: ExperimentBegin) => Effect.Effect<CellWatcher>,
) {
  const { exists, makeFolder } = yield* Files
  const { program, keepLogs } = options
  const isDone = (cell: RunSpec): boolean => {
    const result = results.get(specKey(cell))
    return (
      result !== undefined &&
      result.program === program.name &&
      result.policy === versionsOf(cell).policy &&
      result.router === versionsOf(cell).router &&
      result.order === versionsOf(cell).order &&
      !(options.audit && result.audit === null) &&
      !(keepLogs !== undefined && !exists(join(keepLogs, logName(cell))))
    )
  }
  const todo = cells.filter((cell) => !isDone(cell))
  const stored = cells.filter(isDone)
  const byOtherBuilds = stored.filter((cell) => results.get(specKey(cell))!.build !== program.build).length
  const watcher = yield* begin({ cells: todo.length, stored: stored.length, byOtherBuilds })
  if (keepLogs !== undefined) yield* attempt(() => makeFolder(keepLogs))

  const reasons = new Map<string, string>()
  const pool = yield* (yield* CellWorkers).pool(Math.min(options.workers, todo.length))
  const run = Effect.fnUntraced(function* (cell: RunSpec) {
    const answer = yield* pool.run({ cell, options }, (share) => watcher.onShare(cell, share))
    yield* Effect.forEach(answer.remarks, watcher.remark)
    if (answer.type === 'failed') {
      reasons.set(specKey(cell), answer.reason)
      yield* attempt(() => results.skip(cell))
    } else yield* attempt(() => results.add(answer.result, answer.times))
    watcher.onEnd(cell)
  })
  yield* Effect.forEach(todo, run, { concurrency: options.workers, discard: true })
  const outcome: ExperimentOutcome = {
    results: cells.flatMap((cell) => (reasons.has(specKey(cell)) ? [] : [results.get(specKey(cell))!])),
    skipped: cells.flatMap((cell) =>
      reasons.has(specKey(cell)) ? [{ cell, reason: reasons.get(specKey(cell))! }] : [],
    ),
  }
  return outcome
}, Effect.scoped)

/** Returns name and version of the policy of a cell, and of its router if the router is not built in. */
export type VersionsOf = (cell: RunSpec) => Pick<CellResult, 'policy' | 'router' | 'order'>

/** Returns the function for the versions of policies and routers in the cells. Fails if a policy or router is missing. */
export const policyVersions = Effect.fnUntraced(function* (cells: ReadonlyArray<RunSpec>) {
  const policies = yield* Policies
  const versions = new Map<string, string>()
  for (const name of new Set(cells.map(({ policy }) => policy))) {
    const { policy } = yield* policies.find(name)
    versions.set(name, `${policy.name}@${policy.version}`)
  }
  const routers = new Map<string | undefined, Pick<CellResult, 'router'>>()
  for (const name of new Set(cells.map(({ router }) => router)))
    routers.set(name, routerVersion(yield* findRouter(name)))
  const orders = new Map<string | undefined, Pick<CellResult, 'order'>>()
  for (const name of new Set(cells.map(({ order }) => order)))
    orders.set(name, orderVersion(name === undefined ? undefined : yield* findOrder(name)))
  const versionsOf: VersionsOf = ({ policy, router, order }) => ({
    policy: versions.get(policy)!,
    ...routers.get(router),
    ...orders.get(order),
  })
  return versionsOf
})

/** Returns cells with digests for a program (`cloister@VERSION`) and for the present versions of the policies. */
export const cellsOf = Effect.fnUntraced(function* (specs: ReadonlyArray<RunSpec>, program: string, audit: boolean) {
  const versionsOf = yield* policyVersions(specs)
  return specs.map((cell): Cell => ({ cell, digest: cellDigest({ cell, program, ...versionsOf(cell), audit }) }))
})
