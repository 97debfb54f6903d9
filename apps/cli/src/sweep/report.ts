import { attempt, Files } from '@cloister/run/node'
import {
  differencesOf,
  groupsOf,
  missingCells,
  readPlaced,
  readSweep,
  sweepFolderOf,
  withoutRuns,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { basename, extname, join } from 'node:path'
import { OptionConflictError } from '../errors/errors.ts'
import { writeFiles } from '../export/export-files.ts'
import { checkOutputs } from '../files/outputs.ts'
import { print } from '../terminal/output.ts'
import { bytes } from '../terminal/quantities.ts'
import { experimentCells } from './experiment.ts'
import { noResults, sweepInputs } from './merge.ts'
import { figuresOf, reportPage } from './report-page.ts'

export interface ReportOptions {
  readonly experiment: string
  readonly from: Option.Option<string>
  readonly out: Option.Option<string>
  readonly figures: Option.Option<string>
  readonly baseline: Option.Option<string>
  readonly audit: boolean
  readonly force: boolean
  readonly json: boolean
}

/** Runs `cloister sweep report`: writes a page with the results of a sweep so far. */
export const reportSweep = Effect.fn(function* (options: ReportOptions) {
  const { experiment, audit, force, json } = options
  const cells = yield* experimentCells(experiment, audit)
  const disk = yield* Files
  const name = basename(experiment, extname(experiment))
  const folder = sweepFolderOf(experiment)
  const from = Option.getOrElse(options.from, () => (disk.exists(folder) ? folder : `${name}.results.ndjson`))
  const { read, folder: opened } = yield* readSweep(from)
  const results = yield* attempt(() =>
    cells.flatMap(({ digest }) =>
      (read.results.get(digest) ?? []).slice(0, 1).map((placed) => readPlaced(placed).result),
    ),
  )
  if (results.length === 0) return yield* noResults(experiment, missingCells(cells, read))
  const groups = groupsOf(results)
  const baseline = Option.getOrUndefined(options.baseline)
  const policies = [...new Set(groups.map(({ cell }) => cell.policy))]
  if (baseline !== undefined && !policies.includes(baseline))
    return yield* new OptionConflictError({
      options: [`--baseline ${baseline}`],
      reason: `is no policy of ${experiment}: expected one of ${policies.join(', ')}`,
    })
  const differences = differencesOf(groups, baseline)
  const report = { experiment, cells: cells.length, results, groups, differences }
  const path = Option.getOrElse(options.out, () => `${name}.report.html`)
  const into = Option.getOrElse(options.figures, () => '.')
  const figures = Option.isNone(options.figures) ? [] : figuresOf(report)
  const pictures = figures.map(({ name: file, svg }) => ({ name: file, pieces: [svg] }))
  const outputs = [path, ...pictures.map((picture) => join(into, picture.name))]
  const inputs = sweepInputs(disk, { experiment, cells, read, folder: opened }, outputs)
  const rule = { force, inputs }
  yield* attempt(() => checkOutputs(disk, outputs, rule))
  const page = yield* attempt(() => writeFiles(disk, [{ name: '', pieces: [reportPage(report)] }], path, rule))
  const files = [...page, ...(yield* attempt(() => writeFiles(disk, pictures, into, rule)))]
  yield* print(json, { files, intervals: groups.map(withoutRuns), differences }, () =>
    files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'),
  )
})
