import { attempt, describeSpec } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { SlurmCommands } from '@cloister/cluster'
import {
  type Cell,
  CellQueueError,
  type EngineName,
  engineNames,
  engines,
  estimate,
  parseShard,
  runQueue,
  runShard,
  type Shard,
  shardOfBatchSystem,
  type ShardOptions,
  type ShardOutcome,
  sizeShards,
  spread,
  type SweepFolder,
  verifyCells,
  type WorkerOptions,
} from '@cloister/sweep'
import type { CellQueue, CellQueueOptions } from '@cloister/sweep-postgres'
import { Console, Effect, Option } from 'effect'
import { Flag } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith, Problem } from '../../errors/errors.ts'
import { OwnProgram } from './own-program.ts'
import { importOptional } from '../../policy/policy-lookup.ts'
import { print, remark } from '../../terminal/output.ts'
import { makeProgress } from '../../terminal/progress.ts'
import { bytes, count, duration } from '../../terminal/quantities.ts'
import { checkAtLeast, integerFlag, onFlag, type Options, refuseIf, textFlag } from '../flags.ts'
import { type ExperimentOptions, leaseFlag, thisProgram, watcherOf } from './experiment.ts'
import { auditFailures } from './tables.ts'

/** Flags of `cloister sweep` and `cloister reproduce` that divide an experiment between processes. */
export const shardFlags = {
  shard: textFlag(
    'shard',
    'I/N',
    'Run part I of N, counted from 1, beside other processes\nThe processes share the folder of --out. Default: the part by $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $HQ_TASK_ID or $PMI_RANK. Without these variables the command runs the whole experiment.',
  ).pipe(Flag.optional),
  claim: onFlag(
    'claim',
    'Take cells one by one, also of other shards and of killed workers\nOnly for the shards of an experiment.',
  ),
  lease: leaseFlag,
  retry: onFlag('retry', 'Also run failed cells again\nOnly for the shards of an experiment.'),
  emit: Flag.Literals('emit', engineNames).pipe(
    Flag.withDescription(
      'Print a script that runs the shards under a workflow engine\nThe command first runs a sample of cells, and computes the size of the shards from their times.',
    ),
    Flag.optional,
  ),
  shards: integerFlag(
    'shards',
    'N',
    'Number of shards for --emit\nDefault: so many that a shard takes about a quarter of an hour.',
  ).pipe(Flag.optional),
  sample: integerFlag('sample', 'N', 'Number of cells that --emit runs to estimate times, default: 3').pipe(
    Flag.withDefault(3),
  ),
}

type ShardFlags = Options<typeof shardFlags>

/** Returns the options that make this process one of several processes of an experiment. */
export function divisionOf({ shard, claim, retry, emit }: ShardFlags): ReadonlyArray<string> {
  return [
    ...(Option.isSome(shard) && shard.value !== 'none' ? ['--shard'] : []),
    ...(claim ? ['--claim'] : []),
    ...(retry ? ['--retry'] : []),
    ...(Option.isSome(emit) ? ['--emit'] : []),
  ]
}

/** Experiment that several processes run, each with the cells of its shard. */
export interface Divided {
  /** Name of the experiment, for scripts. */
  readonly experiment: string
  readonly cells: ReadonlyArray<Cell>
  /** Folder that the processes share. */
  readonly folder: SweepFolder
  /** Words after `cloister` of the command of every shard. */
  readonly run: ReadonlyArray<string>
  /** Words after `cloister` of the command that joins the results of all shards. */
  readonly merge: ReadonlyArray<string>
  /** Advice at the end of a shard. */
  readonly next: string
}

/** Settings of the workers of an experiment: the settings of the cells, the shard, and the lease. */
export const workerOf = Effect.fnUntraced(function* (
  run: ExperimentOptions,
  shard: Shard = { index: 1, count: 1 },
  lease: number,
) {
  yield* refuseIf(!(lease >= 0.1 && lease <= 86_400), `--lease: found ${lease}, expected seconds from 0.1 to 86400`)
  return { ...run, program: thisProgram(), shard, leaseSeconds: lease } satisfies WorkerOptions
})

/** Runs the shard of this process, or prints the script of all shards if `--emit` is given. */
export const runDivided = Effect.fnUntraced(function* (
  divided: Divided,
  worker: WorkerOptions,
  options: ShardFlags & Emitted & { readonly json: boolean },
) {
  const { claim, retry, emit, json } = options
  if (Option.isSome(emit)) return yield* printScript(divided, emit.value, options, worker)
  const { index, count: shards } = worker.shard
  const running = runOwnShard(divided.cells, divided.folder, { ...worker, claim, retry })
  yield* sayOutcome(divided.next, `shard ${index}/${shards}`, running, json)
})

/** Returns the shard of this process from `--shard` or from a batch system, or undefined for the whole experiment. */
export const givenShard = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value === 'none' ? undefined : yield* attempt(() => parseShard(given.value))
  const found = yield* shardOfBatchSystem
  if (found === undefined) return undefined
  const { index, count: shards, from } = found
  yield* remark(`this process runs shard ${index}/${shards}, by ${from}; --shard none runs all cells`)
  return { index, count: shards } satisfies Shard
})

/** Runs the cells of a shard, shows the progress, and prints the remarks and failures of the runs. */
const runOwnShard = Effect.fnUntraced(function* (
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
  const exports = yield* importOptional<Adapter>(adapter, `--postgres needs ${adapter}`)
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

/**
 * Runs a worker, and prints a summary at the end.
 * @param next last line of the summary
 * @param who first words of the summary, such as `shard 1/2`
 */
export const sayOutcome = Effect.fnUntraced(function* <E, R>(
  next: string,
  who: string,
  running: Effect.Effect<ShardOutcome, E, R>,
  json: boolean,
) {
  const outcome = yield* running
  yield* print('sweep', json, outcome, () => outcomeText(next, who, outcome))
  const failures = auditFailures(outcome.suspect)
  for (const failure of failures) yield* remark(`audit: ${failure}`)
  if (failures.length > 0) return yield* new ExitWith(exitCodes.no)
  if (outcome.failed.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})

function outcomeText(next: string, who: string, { folder, ran, failed }: ShardOutcome): string {
  const missed = failed.length === 0 ? '' : `, ${count(failed.length)} failed`
  return `${who}: ${count(ran)} cells run${missed}, in ${folder}
${next}`
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
  yield* print('sweep', json, outcome, () => {
    const { again, elsewhere, different } = outcome
    return `${count(again)} cells run again, ${count(elsewhere)} of these on another host than before: ${different.length === 0 ? 'all results are equal' : `${count(different.length)} differ`}`
  })
  for (const { cell, worker, fields } of outcome.different)
    yield* remark(`the result of ${describeSpec(cell)} differs from the result of ${worker}: ${fields.join(', ')}`)
  if (outcome.different.length > 0) return yield* new ExitWith(exitCodes.no)
})

/** Values of the options that `--emit` needs, or passes on to every shard. */
export interface Emitted {
  readonly audit: boolean
  readonly lease: number
  readonly shards: Option.Option<number>
  /** Number of cells to run before the script is printed, to measure time and memory. */
  readonly sample: number
  readonly keepLogs: Option.Option<string>
  readonly traceDir: Option.Option<string>
}

/**
 * Prints the script by which a workflow engine runs the shards of a sweep. First runs a sample of cells to estimate
 * time and memory of all cells, and keeps the results. Copies the program into the folder of the sweep for the shards.
 */
const printScript = Effect.fnUntraced(function* (
  { experiment, cells, folder, run, merge }: Divided,
  engine: EngineName,
  { audit, lease, shards, sample, keepLogs, traceDir }: Emitted,
  options: WorkerOptions,
) {
  yield* checkAtLeast('sample', sample, 1)
  const { workers } = options
  const most = Math.min(cells.length, engine === 'slurm' ? yield* slurmArraySize : Infinity)
  const given = Option.getOrUndefined(shards)
  yield* refuseIf(
    given !== undefined && (given < 1 || given > most),
    `--shards: found ${given}, expected 1 to ${most}: the experiment has ${cells.length} cells${most < cells.length ? `, and this Slurm allows job arrays of ${most} tasks` : ''}`,
  )
  yield* runOwnShard(spread(cells, sample), folder, { ...options, workers: 1, claim: true, retry: false })
  const measured = yield* attempt(() => estimate(cells, folder))
  if (measured === undefined)
    return yield* new Problem(
      `--sample: none of the sampled cells, such as ${describeSpec(cells[0].cell)}, has a result`,
    )
  const { build } = thisProgram()
  const program = yield* copyProgram(folder, build)
  yield* remark(
    `${count(measured.known)} cells measured: mean ${duration(measured.seconds / cells.length)}, longest ${duration(measured.longest)}, ${bytes(measured.megabytes * 1e6)} of memory; all cells take about ${duration(measured.seconds)} of one processor`,
  )
  const value = (flag: string, of: Option.Option<string>) => (Option.isNone(of) ? [] : [flag, of.value])
  const script = engines[engine]({
    experiment,
    cells: cells.length,
    run,
    merge,
    workingDirectory: process.cwd(),
    program: ['node', program],
    build,
    options: [
      ...value('--trace-dir', traceDir),
      ...value('--keep-logs', keepLogs),
      ...(audit ? [] : ['--no-audit']),
      '--lease',
      String(lease),
      '--claim',
      '--workers',
      String(workers),
    ],
    threads: workers,
    ...sizeShards(engine, measured, workers, given, most),
  })
  yield* Console.log(script.trimEnd())
})

/** Default of Slurm's parameter MaxArraySize. The indices of a job array must stay below MaxArraySize. */
const MAX_ARRAY_SIZE = 1001

const slurmArraySize = Effect.gen(function* () {
  const { ask } = yield* SlurmCommands
  const said = yield* ask('scontrol', ['show', 'config']).pipe(Effect.orElseSucceed(() => ''))
  return Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(said)?.[1] ?? MAX_ARRAY_SIZE) - 1
})

const copyProgram = Effect.fnUntraced(function* (folder: SweepFolder, build: string) {
  const { copyTo } = yield* OwnProgram
  const { writeText } = yield* Files
  const programs = join(folder.path, 'program')
  const path = yield* copyTo(join(programs, build))
  const text = `FROM node:24-slim
COPY ${build} /opt/cloister
ENTRYPOINT ["node", "/opt/cloister/cloister.js"]
`
  yield* attempt(() => writeText(join(programs, 'Containerfile'), text, 'overwrite'))
  return path
})
