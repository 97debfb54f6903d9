import { describeSpec } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import {
  type Cell,
  type CellResult,
  type FailedRun,
  mergedResults,
  missingCells,
  type Placed,
  readPlaced,
  readSweep,
  readTimes,
  type ResultsRead,
  type SweepFolder,
  sweepFolderOf,
  tableOfRuns,
  timesOf,
  timesPath,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { basename, dirname, extname } from 'node:path'
import { NoResultsError } from '../errors/errors.ts'
import { exitCodes, ExitWith } from '../errors/exit.ts'
import { reasonLines } from '../errors/message.ts'
import { writeFiles } from '../export/export-files.ts'
import { writeParquetTable } from '../export/parquet.ts'
import { checkOutputs, type OutputRule } from '../files/outputs.ts'
import { inputFiles } from '../run/input-files.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { experimentCells } from './experiment.ts'

export interface MergeOptions {
  readonly experiment: string
  readonly from: Option.Option<string>
  readonly out: Option.Option<string>
  readonly parquet: Option.Option<string>
  readonly audit: boolean
  readonly force: boolean
  readonly json: boolean
}

/** Runs `cloister sweep merge`: writes the results of all workers in the order of the experiment. */
export const mergeSweep = Effect.fn(function* ({ experiment, from, out, parquet, audit, force, json }: MergeOptions) {
  const cells = yield* experimentCells(experiment, audit)
  const { folder, read } = yield* readSweep(Option.getOrElse(from, () => sweepFolderOf(experiment)))
  const { placed, unequal } = yield* attempt(() => mergedResults(cells, read))
  const missing = missingCells(cells, read)
  for (const { cell, workers, fields } of unequal)
    yield* remark(
      `the workers ${workers.join(' and ')} have different results of ${describeSpec(cell)}: ${fields.join(', ')}`,
    )
  if (unequal.length > 0) return yield* new ExitWith(exitCodes.no)
  if (placed.length === 0) return yield* noResults(experiment, missing)
  if (missing.length > 0)
    yield* remark(
      [`${count(missing.length)} of ${count(cells.length)} cells have no result:`, ...reasonLines(missing)].join('\n'),
    )
  const path = Option.getOrElse(out, () => `${basename(experiment, extname(experiment))}.results.ndjson`)
  const disk = yield* Files
  const outputs = [path, timesPath(path), ...Option.toArray(parquet)]
  const rule = { force, inputs: sweepInputs(disk, { experiment, cells, read, folder }, outputs) }
  yield* attempt(() => checkOutputs(disk, outputs, rule))
  const files = [
    { name: basename(path), pieces: lines(placed) },
    { name: basename(timesPath(path)), pieces: folder === undefined ? [] : timesOf(cells, folder) },
  ]
  yield* attempt(() => writeFiles(disk, files, dirname(path), rule))
  const found = placed.length
  yield* print(
    json,
    { results: path, merged: found, missing: missing.map(({ cell }) => cell) },
    () => `${count(found)} results in ${path}`,
  )
  if (Option.isSome(parquet)) yield* writeRuns(placed, folder, parquet.value, rule)
  if (missing.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})

function writeRuns(placed: ReadonlyArray<Placed>, folder: SweepFolder | undefined, path: string, rule: OutputRule) {
  const table = tableOfRuns(() => resultsAt(placed), folder === undefined ? new Map() : readTimes(folder))
  return writeParquetTable(table, path, rule, '--parquet')
}

function* resultsAt(placed: ReadonlyArray<Placed>): Iterable<CellResult> {
  for (const each of placed) yield readPlaced(each).result
}

function* lines(placed: ReadonlyArray<Placed>): Iterable<string> {
  for (const each of placed) yield `${readPlaced(each).line}\n`
}

/** Returns the error for a sweep in which no cell has a result. */
export function noResults(experiment: string, failed: ReadonlyArray<FailedRun>): NoResultsError {
  return new NoResultsError({
    failed,
    remedy: `cloister sweep status ${experiment} shows the progress; cloister sweep ${experiment} --retry runs failed cells again`,
  })
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
