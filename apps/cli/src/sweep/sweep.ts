import { basename, extname } from 'node:path'
import { describeSpec } from '@cloister/run'
import { Effect, Option } from 'effect'
import { print, remark } from '../terminal/output.ts'
import { equalResamples } from './equal-resamples.ts'
import { readExperiment } from './read-experiment.ts'
import { ResultsFile } from './results-file.ts'
import { policyVersions, runExperiment } from './run-experiment.ts'
import { auditFailures, sweepTable } from './sweep-table.ts'
import { FileExistsError, OptionConflictError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { inputFiles } from '../run/input-files.ts'
import { checkNotInput } from '../files/outputs.ts'
import { Files } from '../files/files.ts'
import { OptionError } from '@cloister/run'

/** How cells are run, for every command that runs some. */
export interface ExperimentFlags {
  readonly traceDir: Option.Option<string>
  readonly workers: number
  readonly audit: boolean
  readonly keepLogs: Option.Option<string>
  readonly force: boolean
}

export interface SweepOptions extends ExperimentFlags {
  readonly experiment: string
  readonly out: Option.Option<string>
  readonly resume: boolean
  readonly json: boolean
}

export const runSweep = Effect.fn(function* ({
  experiment,
  out,
  resume,
  force,
  json,
  workers,
  audit,
  ...options
}: SweepOptions) {
  yield* checkWorkers(workers)
  if (force && resume)
    return yield* new OptionConflictError({
      options: ['--force', '--resume'],
      reason: 'exclude each other: --force begins anew, --resume goes on: give one of them',
    })
  const cells = yield* readExperiment(experiment)
  const versions = yield* policyVersions(cells)
  const path = Option.getOrElse(out, () => `${basename(experiment, extname(experiment))}.results.ndjson`)
  const disk = yield* Files
  const { exists } = disk
  const inputs = inputFiles(disk, path, cells, Option.getOrUndefined(options.traceDir))
  yield* attempt(() => checkNotInput(disk, path, [experiment, ...inputs]))
  if (!resume && !force && exists(path))
    return yield* new FileExistsError({ path, remedy: '--resume goes on with it, --force begins anew' })
  const results = yield* openResults(path, force)
  const outcome = yield* runExperiment(cells, versions, results, {
    workers,
    audit,
    traceDir: Option.getOrUndefined(options.traceDir),
    keepLogs: Option.getOrUndefined(options.keepLogs),
  })
  yield* attempt(() => results.close())
  yield* print(json, outcome, () => `${sweepTable(outcome.results)}\n\n${outcome.results.length} results in ${path}`)
  for (const equal of equalResamples(outcome.results)) yield* remark(equal)
  const failures = auditFailures(outcome.results, describeSpec)
  for (const failure of failures) yield* remark(`audit: ${failure}`)
  if (failures.length > 0) return yield* new ExitWith(exitCodes.no)
  if (outcome.skipped.length > 0) return yield* new ExitWith(exitCodes.notWhole)
}, Effect.scoped)

/** The results file. Whoever wrote its last line closes it; the end of the scope does where something went wrong before. */
export function openResults(path: string, anew: boolean) {
  return Effect.acquireRelease(
    attempt(() => new ResultsFile(path, { anew })),
    (file) => Effect.ignore(attempt(() => file.close())),
  )
}

export function checkWorkers(workers: number): Effect.Effect<void, OptionError> {
  return workers >= 1 && workers <= 1024
    ? Effect.void
    : Effect.fail(new OptionError({ option: 'workers', reason: `found ${workers}, expected 1 to 1024` }))
}
