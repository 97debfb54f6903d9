import { describeSpec, OptionError } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import {
  type Cell,
  cellsWithNotPlaced,
  differencesOf,
  type EngineName,
  equalResamples,
  groupsOf,
  haveReplicates,
  openResults,
  SweepFolder,
  sweepFolderOf,
  timesPath,
  withoutRuns,
  type WorkerOptions,
} from '@cloister/sweep'
import { Console, Effect, Option } from 'effect'
import { availableParallelism } from 'node:os'
import { basename, extname } from 'node:path'
import { FileExistsError, NoResultsError, OptionConflictError } from '../errors/errors.ts'
import { exitCodes, ExitWith } from '../errors/exit.ts'
import { checkNotInput } from '../files/outputs.ts'
import { inputFiles } from '../run/input-files.ts'
import { noneStarted } from '../run/not-placed.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { emitSweep } from './emit.ts'
import {
  checkWorkers,
  experimentCells,
  type ExperimentFlags,
  readExperiment,
  runHere,
  thisProgram,
  versionsOf,
} from './experiment.ts'
import { givenShard } from './given-shard.ts'
import { runOwnShard, runPostgres, sayOutcome, sweepVerify } from './shards.ts'
import { auditFailures, failedText, intervalTables, sweepTable } from './tables.ts'

export interface SweepOptions extends Omit<ExperimentFlags, 'workers'> {
  /** Number of worker threads. Default: one for each processor, or one thread with `--emit`. */
  readonly workers: Option.Option<number>
  readonly experiment: string
  readonly out: Option.Option<string>
  readonly resume: boolean
  readonly shard: Option.Option<string>
  readonly claim: boolean
  readonly postgres: Option.Option<string>
  readonly lease: number
  readonly retry: boolean
  readonly verify: Option.Option<string>
  readonly emit: Option.Option<EngineName>
  readonly shards: Option.Option<number>
  readonly sample: number
  readonly json: boolean
}

type SweepFlags = Omit<SweepOptions, 'workers'> & { readonly workers: number }

/** Runs `cloister sweep`: a whole experiment in this process, or as one of several processes with a shared folder. */
export const runSweep = Effect.fn(function* ({ workers: givenWorkers, ...flags }: SweepOptions) {
  const workers = Option.getOrElse(givenWorkers, () => (Option.isSome(flags.emit) ? 1 : availableParallelism()))
  const options = { ...flags, workers }
  yield* checkWorkers(workers)
  yield* checkLease(options.lease)
  yield* checkPostgres(options)
  const shard = Option.isSome(options.postgres) ? undefined : yield* givenShard(options.shard)
  const alone = shard ?? { index: 1, count: 1 }
  const isAlone = shard === undefined && Option.isNone(options.postgres)
  const isOneProcess = isAlone && !options.claim && !options.retry
  if (isOneProcess && Option.isNone(options.verify) && Option.isNone(options.emit)) return yield* sweepHere(options)
  if (options.force || options.resume)
    return yield* new OptionConflictError({
      options: [options.force ? '--force' : '--resume', '--shard'],
      reason:
        'exclude each other: shards always keep existing results; give another --out, or remove the folder, to begin again',
    })
  const share = Option.isNone(options.verify) ? undefined : yield* attempt(() => parseShare(options.verify))
  const cells = yield* experimentCells(options.experiment, options.audit)
  const folder = new SweepFolder(Option.getOrElse(options.out, () => sweepFolderOf(options.experiment)))
  const shared: WorkerOptions = {
    program: thisProgram(),
    shard: alone,
    leaseSeconds: options.lease,
    workers: options.workers,
    audit: options.audit,
    traceDir: Option.getOrUndefined(options.traceDir),
    keepLogs: Option.getOrUndefined(options.keepLogs),
  }
  if (Option.isSome(options.emit)) return yield* printScript(cells, folder, options.emit.value, options, shared)
  if (share !== undefined) return yield* sweepVerify(cells, folder, shared, share, options.json)
  const { claim, retry, experiment, json } = options
  const worker = { ...shared, claim, retry }
  return yield* Option.isSome(options.postgres)
    ? sayOutcome(experiment, 'worker', runPostgres(cells, folder, worker, options.postgres.value), json)
    : sayOutcome(experiment, `shard ${alone.index}/${alone.count}`, runOwnShard(cells, folder, worker), json)
})

const printScript = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  engine: EngineName,
  { experiment, out, audit, lease, shards, sample, keepLogs, traceDir }: SweepFlags,
  shared: WorkerOptions,
) {
  if (sample < 1) return yield* new OptionError({ option: 'sample', reason: `found ${sample}, expected at least 1` })
  const value = (flag: string, given: Option.Option<string>) => (Option.isNone(given) ? [] : [flag, given.value])
  const passedOn = [
    ...value('--out', out),
    ...value('--trace-dir', traceDir),
    ...value('--keep-logs', keepLogs),
    ...(audit ? [] : ['--no-audit']),
    '--lease',
    String(lease),
  ]
  const script = yield* emitSweep(cells, folder, {
    ...shared,
    claim: true,
    retry: false,
    experiment,
    engine,
    shards,
    sample,
    passedOn,
  })
  yield* Console.log(script.trimEnd())
})

const sweepHere = Effect.fnUntraced(function* ({
  experiment,
  out,
  resume,
  force,
  json,
  workers,
  audit,
  ...options
}: SweepFlags) {
  if (force && resume)
    return yield* new OptionConflictError({
      options: ['--force', '--resume'],
      reason:
        'exclude each other: --force removes the results, --resume keeps the results; give one of the two options',
    })
  const cells = yield* readExperiment(experiment)
  const versions = yield* versionsOf(cells)
  const path = Option.getOrElse(out, () => `${basename(experiment, extname(experiment))}.results.ndjson`)
  const disk = yield* Files
  const { exists } = disk
  yield* attempt(() => {
    for (const output of [path, timesPath(path)]) {
      const inputs = inputFiles(disk, output, cells, Option.getOrUndefined(options.traceDir))
      checkNotInput(disk, output, [experiment, ...inputs])
    }
  })
  if (!resume && !force && exists(path))
    return yield* new FileExistsError({ path, remedy: '--resume keeps the results, --force removes the results' })
  const results = yield* openResults(path, { anew: force, cells })
  const outcome = yield* runHere(cells, versions, results, {
    workers,
    audit,
    traceDir: Option.getOrUndefined(options.traceDir),
    keepLogs: Option.getOrUndefined(options.keepLogs),
  })
  yield* attempt(() => results.finish(disk.create))
  const { skipped } = outcome
  if (outcome.results.length === 0) {
    if (json) yield* print(true, outcome, () => '')
    return yield* new NoResultsError({
      failed: skipped,
      remedy: `mend the cause; then cloister sweep ${experiment} --resume runs the failed cells again`,
    })
  }
  if (skipped.length > 0) yield* remark(failedText(skipped, cells.length))
  const groups = groupsOf(outcome.results)
  const differences = differencesOf(groups, undefined)
  const replicates = haveReplicates(groups) ? { intervals: groups.map(withoutRuns), differences } : {}
  const notPlaced = cellsWithNotPlaced(outcome.results)
  yield* print(json, { notPlaced, ...outcome, ...replicates }, () =>
    [
      ...(skipped.length === 0
        ? []
        : [
            `${count(skipped.length)} of ${count(cells.length)} runs failed; the table has the remaining ${count(outcome.results.length)} runs.`,
          ]),
      sweepTable(outcome.results),
      ...(haveReplicates(groups) ? [intervalTables(groups, differences)] : []),
      `${outcome.results.length} results in ${path}`,
    ].join('\n\n'),
  )
  const equal = equalResamples(outcome.results).map(
    ({ trace, specs }) => `${trace}: ${specs.join(', ')} draw the same jobs, and count as one replicate`,
  )
  for (const text of new Set(equal)) yield* remark(text)
  const failures = auditFailures(outcome.results, describeSpec)
  for (const failure of failures) yield* remark(`audit: ${failure}`)
  const idle = outcome.results.filter(({ totals }) => totals.started === 0)
  for (const { cell } of idle) yield* remark(`${describeSpec(cell)}: ${noneStarted(cell.policy)}`)
  if (failures.length + idle.length > 0) return yield* new ExitWith(exitCodes.no)
  if (skipped.length > 0) return yield* new ExitWith(exitCodes.notWhole)
}, Effect.scoped)

function checkPostgres({ postgres, shard, claim, verify, emit }: SweepFlags): Effect.Effect<void, OptionConflictError> {
  const others = [
    ...(Option.isSome(shard) ? ['--shard'] : []),
    ...(claim ? ['--claim'] : []),
    ...(Option.isSome(verify) ? ['--verify'] : []),
    ...(Option.isSome(emit) ? ['--emit'] : []),
  ]
  return Option.isNone(postgres) || others.length === 0
    ? Effect.void
    : Effect.fail(
        new OptionConflictError({
          options: ['--postgres', ...others],
          reason: 'exclude each other: the queue in the database assigns cells to workers',
        }),
      )
}

function checkLease(lease: number): Effect.Effect<void, OptionError> {
  return lease >= 0.1 && lease <= 86_400
    ? Effect.void
    : Effect.fail(new OptionError({ option: 'lease', reason: `found ${lease}, expected seconds from 0.1 to 86400` }))
}

function parseShare(given: Option.Option<string>): number {
  const text = Option.getOrElse(given, () => '')
  const percent = /^\d{1,3}(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : NaN
  if (!(percent > 0 && percent <= 100))
    throw new OptionError({
      option: 'verify',
      reason: `found ${JSON.stringify(text)}, expected a percentage above 0, such as 1%`,
    })
  return percent / 100
}
