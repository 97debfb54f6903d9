import { describeSpec, type RunSpec } from '@cloister/run'
import { Effect, Option } from 'effect'
import { basename, dirname, extname } from 'node:path'
import { attempt } from '../errors/attempt.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { Files } from '../files/files.ts'
import { writeParquetTable } from '../export/parquet.ts'
import { checkOutputs, type OutputRule } from '../files/outputs.ts'
import { sweepInputs } from './sweep-inputs.ts'
import type { CellResult } from '../sweep/cell-result.ts'
import { tableOfRuns } from './run-table.ts'
import { writeFiles } from '../export/export-files.ts'
import { reasonLines } from '../sweep/failed-runs.ts'
import { timesLine, timesPath } from '../sweep/times-file.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { noResults, openSweep } from './open-sweep.ts'
import { readTimes } from './read-times.ts'
import { missingCells, type Placed, readPlaced, type ResultsRead } from './results-read.ts'
import type { Cell } from './cells.ts'
import { experimentCells } from './experiment-cells.ts'
import type { SweepFolder } from './sweep-folder.ts'
import { differing } from './verify.ts'

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
  const { folder, read } = yield* openSweep(experiment, from)
  const { placed, unequal } = yield* attempt(() => choose(cells, read))
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
    { name: basename(timesPath(path)), pieces: timesOf(cells, folder) },
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

function choose(cells: ReadonlyArray<Cell>, read: ResultsRead) {
  const placed: Array<Placed> = []
  const unequal: Array<{ cell: RunSpec; workers: ReadonlyArray<string>; fields: ReadonlyArray<string> }> = []
  for (const { cell, digest } of cells) {
    const [first, ...others] = read.results.get(digest) ?? []
    if (first === undefined) continue
    placed.push(first)
    const other = others.find(({ sha256 }) => sha256 !== first.sha256)
    if (other === undefined) continue
    const fields = differing(readPlaced(first).result, readPlaced(other).result)
    unequal.push({ cell, workers: [first.worker, other.worker], fields })
  }
  return { placed, unequal }
}

function* lines(placed: ReadonlyArray<Placed>): Iterable<string> {
  for (const each of placed) yield `${readPlaced(each).line}\n`
}

function* timesOf(cells: ReadonlyArray<Cell>, folder: SweepFolder | undefined): Iterable<string> {
  if (folder === undefined) return
  const known = readTimes(folder)
  for (const { digest } of cells) {
    const times = known.get(digest)
    if (times !== undefined) yield timesLine(digest, times)
  }
}
