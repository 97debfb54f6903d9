import { describeSpec } from '@cloister/run'
import { ConfigProvider, Effect, Option } from 'effect'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { auditFailures } from '../sweep/sweep-table.ts'
import type { ExperimentOptions } from '../sweep/run-experiment.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import type { ShardOutcome } from './shard-worker.ts'
import { type Environment, parseShard, type Shard, shardOfEnvironment } from './shard.ts'
import type { Cell } from './cells.ts'
import { SweepFolder } from './sweep-folder.ts'
import { verifyCells } from './verify.ts'

/** Returns the shard of this process from `--shard` or from a batch system, or undefined for the whole experiment. */
export const givenShard = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value === 'none' ? undefined : yield* attempt(() => parseShard(given.value))
  const found = yield* environment.pipe(Effect.flatMap((read) => attempt(() => shardOfEnvironment(read))))
  if (found === undefined) return undefined
  yield* remark(`this process runs shard ${found.index}/${found.count}, by ${found.from}; --shard none runs all cells`)
  const shard: Shard = { index: found.index, count: found.count }
  return shard
})

const variables = [
  'SLURM_ARRAY_TASK_ID',
  'SLURM_ARRAY_TASK_MIN',
  'SLURM_ARRAY_TASK_MAX',
  'SLURM_ARRAY_TASK_STEP',
  'SLURM_ARRAY_TASK_COUNT',
  'JOB_COMPLETION_INDEX',
  'HQ_TASK_ID',
  'PMI_RANK',
  'PMI_SIZE',
  'CLOISTER_SHARDS',
]

const environment = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const values = new Map<string, string>()
  for (const name of variables) {
    const found = yield* provider.load([name]).pipe(Effect.orElseSucceed(() => undefined))
    if (found?._tag === 'Value') values.set(name, found.value)
  }
  const read: Environment = (name) => values.get(name)
  return read
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
  options: ExperimentOptions & { readonly shard: Shard; readonly leaseSeconds: number },
  share: number,
  json: boolean,
) {
  const outcome = yield* verifyCells(cells, folder, { ...options, claim: false, retry: false }, share)
  yield* print(json, outcome, () => {
    const { again, elsewhere, different } = outcome
    return `${count(again)} cells run again, ${count(elsewhere)} of these on another host than before: ${different.length === 0 ? 'all results are equal' : `${count(different.length)} differ`}`
  })
  for (const { cell, worker, fields } of outcome.different)
    yield* remark(`the result of ${describeSpec(cell)} differs from the result of ${worker}: ${fields.join(', ')}`)
  if (outcome.different.length > 0) return yield* new ExitWith(exitCodes.no)
})
