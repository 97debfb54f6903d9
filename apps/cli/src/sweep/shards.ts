import { describeSpec } from '@cloister/run'
import {
  type Cell,
  CellQueueError,
  runQueue,
  runShard,
  type ShardOptions,
  type ShardOutcome,
  type SweepFolder,
  verifyCells,
  type WorkerOptions,
} from '@cloister/sweep'
import type { CellQueue, CellQueueOptions } from '@cloister/sweep-postgres'
import { Effect } from 'effect'
import { MissingPackageError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { watcherOf } from './experiment.ts'
import { auditFailures } from './tables.ts'

/** Runs the cells of a shard, shows the progress, and prints the remarks and failures of the runs. */
export const runOwnShard = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
) {
  const progress = yield* makeProgress
  const begin = (size: number | undefined) => Effect.sync(() => watcherOf(progress, size))
  const outcome = yield* runShard(cells, folder, options, begin)
  progress.clear()
  yield* sayFailed(outcome)
  return outcome
})

/** Package for sweeps through Postgres. Users install the package separately, because few users need the package. */
const adapter = '@cloister/sweep-postgres'

/** Version of the interface between this program and the package `@cloister/sweep-postgres`. */
const contract = 1

interface Adapter {
  readonly contract?: unknown
  readonly openCellQueue: (options: CellQueueOptions) => Promise<CellQueue>
}

/** Runs cells from a queue in a Postgres database until the queue is empty. Results go to the folder of the sweep. */
export const runPostgres = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
  url: string,
) {
  const exports = (yield* (yield* PolicyLookup).importModule(adapter)) as Adapter | undefined
  if (exports === undefined)
    return yield* new MissingPackageError({ need: `--postgres needs ${adapter}`, specifier: adapter })
  if (exports.contract !== contract)
    return yield* new CellQueueError({
      reason: `${adapter} has contract ${String(exports.contract)}, and this cloister needs contract ${contract}; update the older of the two packages`,
    })
  const { leaseSeconds } = options
  const { outcome, elsewhere } = yield* runQueue(
    cells,
    folder,
    options,
    (queue) => exports.openCellQueue({ url, leaseSeconds, ...queue }),
    watcherOf(yield* makeProgress, undefined),
  )
  if (elsewhere > 0)
    yield* remark(
      `${count(elsewhere)} cells have results of workers with another folder than ${folder.path}; copy all folders together before sweep merge, or run the cells again by --retry`,
    )
  yield* sayFailed(outcome)
  return outcome
})

const sayFailed = Effect.fnUntraced(function* ({ failed }: ShardOutcome) {
  for (const { cell, reason } of failed) yield* remark(`failed: ${describeSpec(cell)}: ${reason}`)
})

/** Runs a worker, and prints a summary at the end. @param who first words of the summary, such as `shard 1/2` */
export const sayOutcome = Effect.fnUntraced(function* <E, R>(
  experiment: string,
  who: string,
  running: Effect.Effect<ShardOutcome, E, R>,
  json: boolean,
) {
  const outcome = yield* running
  yield* print(json, outcome, () => outcomeText(experiment, who, outcome))
  const failures = auditFailures(outcome.suspect, describeSpec)
  for (const failure of failures) yield* remark(`audit: ${failure}`)
  if (failures.length > 0) return yield* new ExitWith(exitCodes.no)
  if (outcome.failed.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})

function outcomeText(experiment: string, who: string, { folder, ran, failed }: ShardOutcome): string {
  const missed = failed.length === 0 ? '' : `, ${count(failed.length)} failed`
  return `${who}: ${count(ran)} cells run${missed}, in ${folder}
cloister sweep status ${experiment} shows the progress of all shards, cloister sweep merge ${experiment} joins the results.`
}

/** Runs `cloister sweep --verify`: runs a share of the finished cells again, and compares the results. */
export const sweepVerify = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: WorkerOptions,
  share: number,
  json: boolean,
) {
  const outcome = yield* verifyCells(cells, folder, options, share, remark)
  yield* print(json, outcome, () => {
    const { again, elsewhere, different } = outcome
    return `${count(again)} cells run again, ${count(elsewhere)} of these on another host than before: ${different.length === 0 ? 'all results are equal' : `${count(different.length)} differ`}`
  })
  for (const { cell, worker, fields } of outcome.different)
    yield* remark(`the result of ${describeSpec(cell)} differs from the result of ${worker}: ${fields.join(', ')}`)
  if (outcome.different.length > 0) return yield* new ExitWith(exitCodes.no)
})
