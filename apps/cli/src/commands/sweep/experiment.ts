import { attempt, ExperimentError, parseExperiment, type RunSpec, specKey } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  cellsOf,
  type CellWatcher,
  type ExperimentBegin,
  type ExperimentOptions as AllOptions,
  policyVersions,
  type Program,
  type ResultsFile,
  runExperiment,
  type VersionsOf,
} from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { Argument, Flag } from 'effect/cli'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Problem } from '../../errors/errors.ts'
import { runFiles, runInputs } from '../../run/inputs.ts'
import { program } from '../../run/log-target.ts'
import { traceDirFlag } from '../../run/run-flags.ts'
import { meant } from '../../terminal/nearest.ts'
import { remark } from '../../terminal/output.ts'
import { makeProgress, type Progress } from '../../terminal/progress.ts'
import { count } from '../../terminal/quantities.ts'
import { integerFlag, numberFlag, onFlag, type Options, refuseIf, textFlag } from '../flags.ts'

export const auditFlag = Flag.Boolean('audit').pipe(
  Flag.withDescription('Audit the log of every run; on unless --no-audit is given'),
)

/** Flags of `cloister sweep` and `cloister reproduce`, the commands that run the cells of experiments. */
export const experimentFlags = {
  traceDir: traceDirFlag,
  workers: Flag.optional(
    integerFlag('workers', 'N', 'Number of worker threads, default: one for each processor; 1 for --emit'),
  ),
  audit: Flag.withDefault(auditFlag, true),
  keepLogs: textFlag(
    'keep-logs',
    'DIR',
    'Folder for the compressed event log of every run\nDefault: the logs are not kept.',
  ).pipe(Flag.optional),
  force: onFlag('force', 'Run every cell of the experiment again, also cells with a result'),
}

export const experimentArgument = Argument.String('experiment').pipe(
  Argument.withDescription(
    'Experiment, as JSON: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}\nThe README of the package cloister describes the fields.',
  ),
)

export const leaseFlag = numberFlag(
  'lease',
  'S',
  'Seconds without a heartbeat until a worker counts as gone, default: 120\nAll workers of a sweep need the same value.',
).pipe(Flag.withDefault(120))

export type ExperimentOptions = Omit<AllOptions, 'program'>

/** Returns the settings for the cells of an experiment from the values of flags. */
export function optionsOf(
  { traceDir, keepLogs }: Pick<Options<typeof experimentFlags>, 'traceDir' | 'keepLogs'>,
  workers: number,
  audit: boolean,
): ExperimentOptions {
  return { workers, audit, traceDir: Option.getOrUndefined(traceDir), keepLogs: Option.getOrUndefined(keepLogs) }
}

/** Returns the number of worker threads from `--workers`, or the default. */
export const workersOf = Effect.fnUntraced(function* (given: Option.Option<number>, byDefault: number) {
  const workers = Option.getOrElse(given, () => byDefault)
  yield* refuseIf(!(workers >= 1 && workers <= 1024), `--workers: found ${workers}, expected 1 to 1024`)
  return workers
})

/** Returns the file name of an experiment without folder and extension, for the names of output files. */
export function nameOf(experiment: string): string {
  return basename(experiment, extname(experiment))
}

/** Returns the cells of an experiment file. An error names the file and the field of the experiment. */
export const readExperiment = Effect.fnUntraced(function* (path: string) {
  const { readText } = yield* Files
  const text = yield* attempt(() => readText(path))
  return yield* attempt((): ReadonlyArray<RunSpec> => {
    try {
      return parseExperiment(text, runFiles, process.env['CLOISTER_PROGRAMS'] === '1')
    } catch (error) {
      if (!(error instanceof ExperimentError)) throw error
      const { message, field, known } = error
      const hint = known === undefined ? '' : meant(field.slice(field.lastIndexOf('.') + 1), known)
      throw new Problem(`${path}: ${message}${hint}`)
    }
  })
})

/** Returns the cells of an experiment file in order, with digests for the present versions of program and policies. */
export const experimentCells = Effect.fnUntraced(function* (experiment: string, audit: boolean) {
  return yield* digestsOf(yield* readExperiment(experiment), audit)
})

/** Returns cells with digests for the present versions of program and policies. */
export const digestsOf = (specs: ReadonlyArray<RunSpec>, audit: boolean) =>
  cellsOf(specs, program, audit).pipe(Effect.provide(runInputs(undefined)))

/** Returns the function for the versions of policies and routers in the cells. Fails if a policy or router is missing. */
export const versionsOf = (cells: ReadonlyArray<RunSpec>) =>
  policyVersions(cells).pipe(Effect.provide(runInputs(undefined)))

/** Runs the cells without a result in this process. Shows the progress, and prints the remarks of the runs. */
export const runHere = Effect.fnUntraced(function* (
  cells: ReadonlyArray<RunSpec>,
  versions: VersionsOf,
  results: ResultsFile,
  options: ExperimentOptions,
) {
  const progress = yield* makeProgress
  const begin = Effect.fnUntraced(function* (state: ExperimentBegin) {
    yield* remarkOnStored(state, results)
    return watcherOf(progress, state.cells)
  })
  const outcome = yield* runExperiment(cells, versions, results, { ...options, program: thisProgram() }, begin)
  progress.clear()
  return outcome
})

const remarkOnStored = Effect.fnUntraced(function* (
  { stored, byOtherBuilds }: ExperimentBegin,
  { path, tornBytes }: ResultsFile,
) {
  if (tornBytes > 0) yield* remark(`${path}: the last line was torn and is cut off; the cell of this line runs again`)
  if (stored === 0) return
  yield* remark(
    `${path} already has ${count(stored)} results of the experiment${byOtherBuilds === 0 ? '' : `, ${count(byOtherBuilds)} of these from another build of ${program}; --force runs all cells again`}`,
  )
})

/** Returns a receiver that prints each remark once. @param cells number of cells in the progress; undefined: no progress */
export function watcherOf(progress: Progress, cells: number | undefined): CellWatcher {
  const shown = cells === undefined ? undefined : new SweepProgress(cells, progress)
  const said = new Set<string>()
  return {
    onShare: (cell, share) => shown?.update(cell, share),
    onEnd: (cell) => shown?.finished(cell),
    remark: (text) => {
      if (said.has(text)) return Effect.void
      said.add(text)
      shown?.clear()
      return remark(text)
    },
  }
}

const barWidth = 30

/** Progress bar of an experiment, over all cells. */
export class SweepProgress {
  readonly #progress: Progress
  readonly #cells: number
  /** Progress of each running cell, 0 to 1, by the key of the cell. */
  readonly #shares = new Map<string, number>()
  #done = 0

  constructor(cells: number, progress: Progress) {
    this.#cells = cells
    this.#progress = progress
  }

  update(cell: RunSpec, share: number): void {
    this.#shares.set(specKey(cell), share)
    this.#show()
  }

  finished(cell: RunSpec): void {
    this.#shares.delete(specKey(cell))
    this.#done++
    this.#show()
  }

  /** Removes the progress bar until the next call of `update` or `finished`. */
  clear(): void {
    this.#progress.clear()
  }

  #show(): void {
    const runs = [...this.#shares.values()].reduce((sum, each) => sum + each, this.#done)
    const share = runs / this.#cells
    const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.')
    this.#progress.show(`[${bar}] ${this.#done} of ${this.#cells} runs,`, share, runs, 'runs')
  }
}

let hashed: string | undefined

/**
 * Returns name and version of this program, and 12 digits that identify this build. The digits are a hash of the file
 * with this function: the file names the hashes of the files with the code of runs.
 */
export function thisProgram(): Program {
  hashed ??= createHash('sha256')
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('hex')
    .slice(0, 12)
  return { name: program, build: hashed }
}
