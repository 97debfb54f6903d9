import { attempt, describeSpec, OptionError } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  cellsWithNotPlaced,
  differencesOf,
  equalResamples,
  groupsOf,
  haveReplicates,
  openResults,
  SweepFolder,
  sweepFolderOf,
  timesPath,
  withoutRuns,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { availableParallelism } from 'node:os'
import { exitCodes, ExitWith, FileExistsError } from '../errors/errors.ts'
import { checkNotInput } from '../files/outputs.ts'
import { inputFiles } from '../run/input-files.ts'
import { noneStarted } from '../run/not-placed.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { untilSignal } from '../terminal/signals.ts'
import { jsonFlag, onFlag, type Options, refuseIf, textFlag } from './flags.ts'
import {
  experimentArgument,
  experimentCells,
  experimentFlags,
  type ExperimentOptions,
  nameOf,
  optionsOf,
  readExperiment,
  runHere,
  versionsOf,
  workersOf,
} from './sweep/experiment.ts'
import { report } from './sweep/report.ts'
import { merge, status } from './sweep/results.ts'
import {
  divisionOf,
  givenShard,
  runDivided,
  runPostgres,
  sayOutcome,
  shardFlags,
  sweepVerify,
  workerOf,
} from './sweep/shards.ts'
import { auditFailures, failedText, intervalTables, mixedLines, noResults, sweepTable } from './sweep/tables.ts'

const flags = {
  experiment: experimentArgument,
  out: textFlag(
    'out',
    'FILE',
    'File for the results, or folder of the shards\nDefault: the name of the experiment with .results.ndjson, or with .sweep for shards, in the working directory.',
  ).pipe(Flag.optional),
  resume: onFlag('resume', 'Keep the results in the file of --out, and run the missing cells'),
  ...experimentFlags,
  postgres: textFlag(
    'postgres',
    'URL',
    'Take cells from a queue in this Postgres database\nWorkers on any host share the queue. $PGPASSWORD is the password if URL has no password. Needs the package @cloister/sweep-postgres.',
  ).pipe(Flag.optional),
  ...shardFlags,
  verify: textFlag(
    'verify',
    'P%',
    'Run this share of the finished cells again, and compare the results\nOnly for the shards of a sweep.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

export const sweep = Command.make('sweep', flags, (options) => untilSignal(runSweep(options))).pipe(
  Command.withDescription(
    'Run an experiment: many runs, measured and audited\nAn experiment file names traces, machines, policies, queues, scenarios and seeds. The runs use all processors of one machine, or many machines if the sweep is divided into shards.',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Write experiment.results.ndjson, and print a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Continue the sweep after a kill' },
    {
      command: 'cloister sweep experiment.json --shard 3/8 --claim',
      description: 'Run a shard in one of eight processes on any hosts',
    },
    {
      command: 'cloister sweep experiment.json --emit slurm > sweep.sh',
      description: 'Write a script for sbatch, a job array of all cells',
    },
  ]),
  Command.withSubcommands([merge, status, report]),
)

type SweepOptions = Options<typeof flags>

/** Runs `cloister sweep`: a whole experiment in this process, or as one of several processes with a shared folder. */
const runSweep = Effect.fn(function* (options: SweepOptions) {
  const { experiment, audit, lease, json, verify, emit, postgres } = options
  const workers = yield* workersOf(options.workers, Option.isSome(emit) ? 1 : availableParallelism())
  yield* checkPostgres(options)
  const shard = Option.isSome(postgres) ? undefined : yield* givenShard(options.shard)
  const run = optionsOf(options, workers, audit)
  const worker = yield* workerOf(run, shard, lease)
  const { claim, retry } = options
  const isOneProcess = shard === undefined && Option.isNone(postgres) && !claim && !retry
  if (isOneProcess && Option.isNone(verify) && Option.isNone(emit)) return yield* sweepHere(options, run)
  yield* refuseIf(
    options.force || options.resume,
    `${options.force ? '--force' : '--resume'} and --shard exclude each other: shards always keep existing results; give another --out, or remove the folder, to begin again`,
  )
  const share = yield* attempt(() => Option.map(verify, parseShare))
  const cells = yield* experimentCells(experiment, audit)
  const folder = new SweepFolder(Option.getOrElse(options.out, () => sweepFolderOf(experiment)))
  if (Option.isSome(share) && Option.isNone(emit)) return yield* sweepVerify(cells, folder, worker, share.value, json)
  const next = `cloister sweep status ${experiment} shows the progress of all shards, cloister sweep merge ${experiment} joins the results.`
  if (Option.isSome(postgres)) {
    const running = runPostgres(cells, folder, { ...worker, claim, retry }, postgres.value)
    return yield* sayOutcome(next, 'worker', running, json)
  }
  const out = Option.isSome(options.out) ? ['--out', options.out.value] : []
  const merge = ['sweep', 'merge', experiment, '--from', folder.path, '--force', ...(audit ? [] : ['--no-audit'])]
  yield* runDivided({ experiment, cells, folder, run: ['sweep', experiment, ...out], merge, next }, worker, options)
})

function checkPostgres(options: SweepOptions) {
  const { postgres, verify } = options
  const others = [
    ...divisionOf(options).filter((option) => option !== '--retry'),
    ...(Option.isSome(verify) ? ['--verify'] : []),
  ]
  return refuseIf(
    Option.isSome(postgres) && others.length > 0,
    `${['--postgres', ...others].join(' and ')} exclude each other: the queue in the database assigns cells to workers`,
  )
}

/** Parses the percentage of `--verify`. @throws OptionError */
function parseShare(text: string): number {
  const percent = /^\d{1,3}(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : NaN
  if (percent > 0 && percent <= 100) return percent / 100
  const reason = `found ${JSON.stringify(text)}, expected a percentage above 0, such as 1%`
  throw new OptionError({ option: 'verify', reason })
}

const sweepHere = Effect.fnUntraced(function* (
  { experiment, out, resume, force, json }: SweepOptions,
  run: ExperimentOptions,
) {
  yield* refuseIf(
    force && resume,
    '--force and --resume exclude each other: --force removes the results, --resume keeps the results; give one of the two options',
  )
  const cells = yield* readExperiment(experiment)
  const versions = yield* versionsOf(cells)
  const path = Option.getOrElse(out, () => `${nameOf(experiment)}.results.ndjson`)
  const disk = yield* Files
  yield* attempt(() => {
    for (const output of [path, timesPath(path)])
      checkNotInput(disk, output, [experiment, ...inputFiles(disk, output, cells, run.traceDir)])
  })
  if (!resume && !force && disk.exists(path))
    return yield* new FileExistsError({ path, remedy: '--resume keeps the results, --force removes the results' })
  const file = yield* openResults(path, { anew: force, cells })
  const outcome = yield* runHere(cells, versions, file, run)
  yield* attempt(() => file.finish(disk.create))
  const { results, skipped } = outcome
  if (results.length === 0) {
    if (json) yield* print('sweep', true, outcome, () => '')
    const remedy = `mend the cause; then cloister sweep ${experiment} --resume runs the failed cells again`
    return yield* noResults(skipped, remedy)
  }
  if (skipped.length > 0) yield* remark(failedText(skipped, cells.length))
  const groups = groupsOf(results)
  const differences = differencesOf(groups, undefined)
  const replicates = haveReplicates(groups) ? { intervals: groups.map(withoutRuns), differences } : {}
  const notPlaced = cellsWithNotPlaced(results)
  yield* print('sweep', json, { notPlaced, ...outcome, ...replicates }, () =>
    [
      ...(skipped.length === 0
        ? []
        : [
            `${count(skipped.length)} of ${count(cells.length)} runs failed; the table has the remaining ${count(results.length)} runs.`,
          ]),
      sweepTable(results),
      ...(haveReplicates(groups) ? [intervalTables(groups, differences)] : []),
      `${results.length} results in ${path}`,
    ].join('\n\n'),
  )
  const equal = equalResamples(results).map(
    ({ trace, specs }) => `${trace}: ${specs.join(', ')} draw the same jobs, and count as one replicate`,
  )
  for (const text of [...new Set(equal), ...mixedLines(groups)]) yield* remark(text)
  const dropped = new Set(
    results.flatMap(({ cell: { resample = '' } }) => (resample.startsWith('drop-first') ? [resample] : [])),
  )
  if (dropped.size > 1)
    yield* remark(
      `${[...dropped].join(', ')} are no replicates, and have no interval; weeks:SEED and users:SEED make replicates`,
    )
  const failures = auditFailures(results)
  for (const failure of failures) yield* remark(`audit: ${failure}`)
  const idle = results.filter(({ totals }) => totals.started === 0)
  for (const { cell } of idle) yield* remark(`${describeSpec(cell)}: ${noneStarted(cell.policy)}`)
  if (failures.length + idle.length > 0) return yield* new ExitWith(exitCodes.no)
  if (skipped.length > 0) return yield* new ExitWith(exitCodes.notWhole)
}, Effect.scoped)
