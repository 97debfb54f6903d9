import { tableFormats } from '@cloister/exports'
import { attempt, describeSpec } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  type Cell,
  type CellResult,
  mergedResults,
  missingCells,
  NoSweepError,
  type Placed,
  readPlaced,
  readSweep,
  readTimes,
  type ResultsRead,
  statusOf,
  type SweepFolder,
  sweepFolderOf,
  type SweepStatus,
  type RunTable,
  tableOfRuns,
  timesOf,
  timesPath,
  type UnequalResults,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { basename, dirname } from 'node:path'
import { exitCodes, ExitWith } from '../../errors/errors.ts'
import { writeFiles } from '../../export/export-files.ts'
import { checkOutputs } from '../../files/outputs.ts'
import { inputFiles } from '../../run/input-files.ts'
import { print, remark } from '../../terminal/output.ts'
import { count, duration, percent } from '../../terminal/quantities.ts'
import { fields } from '../../terminal/table.ts'
import { jsonFlag, onFlag, type Options, textFlag } from '../flags.ts'
import { experimentArgument, experimentCells, experimentFlags, leaseFlag, nameOf } from './experiment.ts'
import { noResults, reasonLines } from './tables.ts'

/** Argument and flags of the commands that read the results of a sweep. */
export const sweepFlags = {
  experiment: experimentArgument,
  from: textFlag(
    'from',
    'DIR',
    'Folder of the shards, or a file of results\nDefault: the folder with the name of the experiment and .sweep.',
  ).pipe(Flag.optional),
  audit: experimentFlags.audit.pipe(
    Flag.withDescription('Read the results of audited runs (--no-audit: of runs without audit)'),
  ),
  json: jsonFlag,
}

const { json, audit, ...whereFlags } = sweepFlags

const mergeFlags = {
  ...whereFlags,
  out: textFlag(
    'out',
    'FILE',
    'File for the results\nDefault: the file in the working directory with the name of the experiment and .results.ndjson.',
  ).pipe(Flag.optional),
  parquet: textFlag('parquet', 'FILE', 'Parquet file to write: a row for each run, a column for each metric').pipe(
    Flag.optional,
  ),
  audit,
  force: onFlag('force', 'Overwrite the file of --out if the file exists'),
  json,
}

export const merge = Command.make('merge', mergeFlags, (options) => mergeSweep(options)).pipe(
  Command.withDescription(
    'Join the results of all shards in the order of the experiment\nThe file has the same bytes as the results of a sweep in one process.',
  ),
)

const statusFlags = { ...whereFlags, audit, lease: leaseFlag, json }

export const status = Command.make('status', statusFlags, (options) => showStatus(options)).pipe(
  Command.withDescription(
    'Show the progress of the shards of an experiment\nPrints the number of done, running, stale and failed cells, the reasons of failures, and the time left.',
  ),
)

const mergeSweep = Effect.fn(function* (options: Options<typeof mergeFlags>) {
  const { experiment, out, parquet, force } = options
  const cells = yield* experimentCells(experiment, options.audit)
  const { folder, read } = yield* readSweep(Option.getOrElse(options.from, () => sweepFolderOf(experiment)))
  const { placed, unequal } = yield* attempt(() => mergedResults(cells, read))
  const missing = missingCells(cells, read)
  yield* refuseUnequal(unequal)
  const found = placed.length
  if (found === 0) return yield* noResults(missing, remedyFor(experiment))
  if (missing.length > 0)
    yield* remark(
      [`${count(missing.length)} of ${count(cells.length)} cells have no result:`, ...reasonLines(missing)].join('\n'),
    )
  const path = Option.getOrElse(out, () => `${nameOf(experiment)}.results.ndjson`)
  const disk = yield* Files
  const outputs = [path, timesPath(path), ...Option.toArray(parquet)]
  const rule = { force, inputs: sweepInputs(disk, { experiment, cells, read, folder }, outputs) }
  yield* attempt(() => checkOutputs(disk, outputs, rule))
  const files = [
    { name: basename(path), pieces: linesOf(placed) },
    { name: basename(timesPath(path)), pieces: folder === undefined ? [] : timesOf(cells, folder) },
  ]
  yield* attempt(() => writeFiles(disk, files, dirname(path), rule))
  yield* print(
    'sweep merge',
    options.json,
    { results: path, merged: found, missing: missing.map(({ cell }) => cell) },
    () => `${count(found)} results in ${path}`,
  )
  if (Option.isSome(parquet)) {
    const table = tableOfRuns(() => resultsOf(placed), folder === undefined ? new Map() : readTimes(folder))
    yield* attempt(() => writeFiles(disk, [{ name: '', pieces: parquetOf(table) }], parquet.value, rule))
  }
  if (missing.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})

/** Fails with the exit code of a negative answer if two workers have different results of a cell. */
export const refuseUnequal = Effect.fnUntraced(function* (unequal: ReadonlyArray<UnequalResults>) {
  for (const { cell, workers, fields: differing } of unequal)
    yield* remark(
      `the workers ${workers.join(' and ')} have different results of ${describeSpec(cell)}: ${differing.join(', ')}`,
    )
  if (unequal.length > 0) return yield* new ExitWith(exitCodes.no)
})

function parquetOf({ columns, rows }: RunTable): Iterable<string | Uint8Array> {
  const made = Object.entries(columns).map(([name, type]) => ({ name, type, unit: '', nullable: true, meaning: '' }))
  const all = [...rows]
  const batch = { rows: all.length, values: (at: number) => all.map((row) => row[made[at].name] ?? null) }
  return tableFormats.parquet({ columns: made, batches: all.length === 0 ? [] : [batch] })
}

function* linesOf(placed: ReadonlyArray<Placed>): Iterable<string> {
  for (const each of placed) yield `${readPlaced(each).line}\n`
}

function* resultsOf(placed: ReadonlyArray<Placed>): Iterable<CellResult> {
  for (const each of placed) yield readPlaced(each).result
}

/** Returns advice for a sweep in which no cell has a result. */
export function remedyFor(experiment: string): string {
  return `cloister sweep status ${experiment} shows the progress; cloister sweep ${experiment} --retry runs failed cells again`
}

/** Experiment, and the results read from the sweep. */
interface SweepRead {
  readonly experiment: string
  readonly cells: ReadonlyArray<Cell>
  readonly read: ResultsRead
  /** Folder of the sweep. Undefined if the results were read from a file of results. */
  readonly folder: SweepFolder | undefined
}

/** Returns the files that no output may overwrite: the experiment, the inputs of its runs, results and times. */
export function sweepInputs(
  files: Files['Service'],
  { experiment, cells, read, folder }: SweepRead,
  outputs: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const runs = cells.map(({ cell }) => cell)
  const times = folder?.names('times').map((name) => folder.file('times', name)) ?? []
  const named = outputs.flatMap((out) => inputFiles(files, out, runs, undefined))
  return [...new Set([experiment, ...read.paths, ...times, ...named])]
}

const showStatus = Effect.fn(function* (options: Options<typeof statusFlags>) {
  const cells = yield* experimentCells(options.experiment, options.audit)
  const path = Option.getOrElse(options.from, () => sweepFolderOf(options.experiment))
  const { folder, read } = yield* readSweep(path)
  if (folder === undefined) return yield* new NoSweepError({ path })
  const found = yield* attempt(() => statusOf(cells, folder, read, options.lease))
  yield* print('sweep status', options.json, found, () => statusText(found))
})

function statusText(found: SweepStatus): string {
  const { cells, done, running, stale, failed, waiting, workers, secondsLeft: left, verified: again } = found
  const rows: Array<readonly [string, string]> = [
    ['cells', count(cells)],
    ['done', `${count(done)}, ${percent(done / cells)}`],
    ['running', count(running)],
    ['stale', `${count(stale)}${stale === 0 ? '' : ', begun by workers that no longer run'}`],
    ['failed', count(failed)],
    ['waiting', count(waiting)],
    ['workers', `${workers.atWork} running, ${workers.silent} without a heartbeat, ${workers.ended} ended`],
    ['time left', left === null ? '-' : duration(left)],
  ]
  if (again.equal + again.different > 0)
    rows.push(['verified', `${count(again.equal)} equal, ${count(again.different)} different`])
  const reasons = found.reasons.map(
    ({ reason, cells: those, first }) =>
      `failed: ${describeSpec(first)}${those === 1 ? '' : ` and ${count(those - 1)} more`}: ${reason}`,
  )
  return [fields(rows), ...reasons].join('\n')
}
