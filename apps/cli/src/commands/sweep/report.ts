import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  differencesOf,
  groupsOf,
  mergedResults,
  missingCells,
  readPlaced,
  readSweep,
  sweepFolderOf,
  withoutRuns,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { join } from 'node:path'
import { Problem } from '../../errors/errors.ts'
import { writeFiles } from '../../export/export-files.ts'
import { checkOutputs } from '../../files/outputs.ts'
import { emptyDocument } from '../../plot/document.ts'
import { print, remark } from '../../terminal/output.ts'
import { bytes, counted } from '../../terminal/quantities.ts'
import { forceFlag, type Options, textFlag } from '../flags.ts'
import { appendixText } from './appendix-facts.ts'
import { experimentCells, nameOf } from './experiment.ts'
import { figuresOf, reportPage } from './report-page.ts'
import { refuseUnequal, remedyFor, sweepFlags, sweepInputs } from './results.ts'
import { mixedLines, noResults } from './tables.ts'

const { json, audit, ...whereFlags } = sweepFlags

const reportFlags = {
  ...whereFlags,
  out: textFlag(
    'out',
    'FILE',
    'Page to write\nDefault: the file in the working directory with the name of the experiment and .report.html.',
  ).pipe(Flag.optional),
  figures: textFlag('figures', 'DIR', 'Folder for the pictures as SVG files').pipe(Flag.optional),
  appendix: textFlag(
    'appendix',
    'FILE',
    'Artifact description and evaluation that SC asks for, .md or .tex\nGaps mark the statements that the authors must add.',
  ).pipe(Flag.optional),
  baseline: textFlag(
    'baseline',
    'POLICY',
    'Policy that all other policies are compared with\nDefault: baseline, or the first policy of an experiment without baseline.',
  ).pipe(Flag.optional),
  audit,
  force: forceFlag,
  json,
}

type ReportOptions = Options<typeof reportFlags>

export const report = Command.make('report', reportFlags, (options) => reportSweep(options)).pipe(
  Command.withDescription(
    'Write a page with the results of a sweep\nThe page has means and confidence intervals over seeds, differences by pairs, pictures, and a table of all runs.',
  ),
)

const reportSweep = Effect.fn(function* (options: ReportOptions) {
  const { experiment, force } = options
  const { results, ...sweep } = yield* readReported(options)
  const { cells } = sweep
  const groups = groupsOf(results)
  const baseline = Option.getOrUndefined(options.baseline)
  const policies = [...new Set(groups.map(({ cell }) => cell.policy))]
  if (baseline !== undefined && !policies.includes(baseline))
    return yield* new Problem(
      `--baseline ${baseline} is no policy of ${experiment}: expected one of ${policies.join(', ')}`,
    )
  const differences = differencesOf(groups, baseline)
  const found = { experiment, cells: cells.length, results, groups, differences }
  const path = Option.getOrElse(options.out, () => `${nameOf(experiment)}.report.html`)
  const into = Option.getOrElse(options.figures, () => '.')
  const figures = figuresOf(found, yield* emptyDocument)
  const pictures = Option.isNone(options.figures)
    ? []
    : figures.map(({ name: file, svg }) => ({ name: file, pieces: [svg] }))
  const outputs = [path, ...pictures.map(({ name }) => join(into, name)), ...Option.toArray(options.appendix)]
  const disk = yield* Files
  const rule = { force, inputs: sweepInputs(disk, { experiment, ...sweep }, outputs) }
  yield* attempt(() => checkOutputs(disk, outputs, rule))
  const facts = { ...found, out: `${nameOf(experiment)}.results.ndjson`, audit: options.audit, baseline }
  const appendix = yield* Effect.forEach(
    Option.toArray(options.appendix),
    Effect.fnUntraced(function* (out) {
      const { placed, unequal } = yield* attempt(() => mergedResults(cells, sweep.read))
      yield* refuseUnequal(unequal)
      return { out, text: yield* appendixText(out, facts, { ...sweep, placed }) }
    }),
  )
  const files = yield* attempt(() => [
    ...writeFiles(disk, [{ name: '', pieces: [reportPage(found, figures)] }], path, rule),
    ...writeFiles(disk, pictures, into, rule),
    ...appendix.flatMap(({ out, text }) => writeFiles(disk, [{ name: '', pieces: [text] }], out, rule)),
  ])
  yield* print('sweep report', options.json, { files, intervals: groups.map(withoutRuns), differences }, () =>
    files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'),
  )
  for (const text of mixedLines(groups)) yield* remark(text)
})

/** Reads the results of `--from`, or of the folder or file with the name of the experiment. Fails without a result. */
const readReported = Effect.fnUntraced(function* ({ experiment, audit: isAudited, from: given }: ReportOptions) {
  const cells = yield* experimentCells(experiment, isAudited)
  const { exists } = yield* Files
  const byDefault = sweepFolderOf(experiment)
  const from = Option.getOrElse(given, () => (exists(byDefault) ? byDefault : `${nameOf(experiment)}.results.ndjson`))
  if (Option.isNone(given) && !exists(from))
    return yield* new Problem(
      `no results of ${experiment}: the working directory has neither the folder ${byDefault} nor the file ${from}; cloister sweep ${experiment} writes the file, --from names another file or folder`,
    )
  const { read, folder } = yield* readSweep(from)
  const results = yield* attempt(() =>
    cells.flatMap(({ digest }) =>
      (read.results.get(digest) ?? []).slice(0, 1).map((placed) => readPlaced(placed).result),
    ),
  )
  if (results.length === 0 && folder === undefined && read.results.size > 0)
    return yield* new Problem(
      `${from}: found ${counted(read.results.size, 'result')}, none of a cell of ${experiment}: the runs had other options, another version of Cloister, or no audit (--no-audit reads runs without audit)`,
    )
  if (results.length === 0) return yield* noResults(missingCells(cells, read), remedyFor(experiment))
  return { results, cells, read, folder, from }
})
