import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  comparisonTable,
  drawBarChart,
  ExperimentError,
  type Report,
  type Reproduction,
  reproductions,
  Runs,
  Traces,
} from '@cloister/reproduce'
import { tracesIn } from '@cloister/reproduce/node'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { canonicalSpec, commandWords, describeSpec, type GivenSpec, RunFiles, specKey } from '@cloister/run'
import { Effect, Option } from 'effect'
import { runInputs } from '../run/inputs.ts'
import { recordTimed } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { timeSimulate } from '../bench/time-simulate.ts'
import type { ResultsFile } from '../sweep/results-file.ts'
import { type ExperimentOptions, policyVersions, runExperiment } from '../sweep/run-experiment.ts'
import { auditFailures } from '../sweep/sweep-table.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress, share } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'
import { checkWorkers, type ExperimentFlags, openResults } from '../sweep/sweep.ts'
import { NoReproductionError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { OptionError } from '@cloister/run'
import type { FreshProcess } from '../bench/fresh-process.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import type { CellWorkers } from '../sweep/cell-workers.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface ReproduceOptions extends ExperimentFlags {
  readonly names: ReadonlyArray<string>
  readonly out: string
  readonly processes: number
  readonly json: boolean
}

export const reproduceAll = Effect.fn(function* ({
  names,
  out,
  processes,
  force,
  json,
  workers,
  audit,
  keepLogs,
  ...options
}: ReproduceOptions) {
  if (names.includes('list')) return yield* list(json)
  const chosen = yield* Effect.forEach(names, find)
  yield* checkWorkers(workers)
  if (processes < 1)
    return yield* new OptionError({ option: 'processes', reason: `found ${processes}, expected at least 1` })
  yield* attempt(() => mkdirSync(out, { recursive: true }))
  const results = yield* openResults(join(out, 'results.ndjson'), force)
  const experiment = {
    workers,
    audit,
    traceDir: Option.getOrUndefined(options.traceDir),
    keepLogs: Option.getOrUndefined(keepLogs),
  }
  const failures: Array<string> = []
  const files = yield* Effect.provide(RunFiles, runInputs(undefined))
  const runs = yield* runsInto(results, experiment, files, processes, failures)
  const traces = tracesIn(experiment.traceDir, remark)
  const made: Array<ReturnType<typeof summary>> = []
  for (const each of chosen) {
    const report = yield* each.produce.pipe(
      Effect.provideService(Runs, runs),
      Effect.provideService(Traces, traces),
      // What the services fail with stands in it as it was.
      Effect.catchTag('ExperimentError', ({ cause }) => attempt(() => raise(cause))),
    )
    const files = yield* attempt(() => draw(out, report))
    made.push(summary(each, report, files))
    if (!json) yield* print(false, undefined, () => describe(each, report, files))
  }
  if (json) yield* print(true, made.length === 1 ? made[0] : made, () => '')
  if (failures.length > 0) yield* new ExitWith(exitCodes.no)
}, Effect.scoped)

function list(json: boolean): Effect.Effect<void> {
  const known = reproductions.map(({ name, title, source }) => ({ name, title, source }))
  return print(json, known, () =>
    table(
      ['name', 'what', 'from'],
      known.map(({ name, title, source }) => [name, title, source]),
    ),
  )
}

function find(name: string): Effect.Effect<Reproduction, NoReproductionError> {
  const found = reproductions.find((each) => each.name === name)
  if (found !== undefined) return Effect.succeed(found)
  return Effect.fail(new NoReproductionError({ name, known: reproductions.map((each) => each.name) }))
}

function raise(cause: unknown): never {
  throw cause
}

/** Runs go into the results file; what an audit finds in one of them is said, and added to `failures`. */
const runsInto = Effect.fnUntraced(function* (
  results: ResultsFile,
  options: ExperimentOptions,
  files: RunFiles['Service'],
  processes: number,
  failures: Array<string>,
) {
  const services = yield* Effect.context<CellWorkers | FreshProcess | PolicyLookup | Terminal>()
  const canonical = (given: GivenSpec) => attempt(() => canonicalSpec(given, files))
  const run = Effect.fnUntraced(function* (given: ReadonlyArray<GivenSpec>) {
    const specs = yield* Effect.forEach(given, canonical)
    const outcome = yield* runExperiment(specs, yield* policyVersions(specs), results, options)
    for (const failure of auditFailures(outcome.results, describeSpec)) {
      yield* remark(`audit: ${failure}`)
      failures.push(failure)
    }
    const bySpec = new Map(outcome.results.map((result) => [specKey(result.cell), result]))
    return specs.map((spec) => bySpec.get(specKey(spec)))
  })
  const watch = Effect.fnUntraced(function* (given: GivenSpec, visit: Parameters<Runs['Service']['watch']>[1]) {
    const spec = yield* canonical(given)
    const prepared = yield* prepareRun(spec, options.traceDir)
    const progress = yield* makeProgress
    yield* attempt(() => {
      const chunks: Array<Uint8Array> = []
      recordTimed(
        prepared,
        (chunk) => chunks.push(chunk),
        (ended, jobs) => progress.show(() => share(`${describeSpec(spec)}:`, ended, jobs)),
      )
      progress.clear()
      for (const each of readLog(chunks, sha256)) visit(each)
    })
  })
  const time = Effect.fnUntraced(function* (given: GivenSpec) {
    const traceDir = options.traceDir === undefined ? [] : ['--trace-dir', options.traceDir]
    const words = [...commandWords(yield* canonical(given)), ...traceDir]
    const { microsecondsPerJob } = yield* timeSimulate(processes, words)
    return microsecondsPerJob / 1e6
  })
  const failed = (cause: unknown): ExperimentError => new ExperimentError({ cause })
  const within = Effect.provideContext(services)
  const made: Runs['Service'] = {
    run: (given) => run(given).pipe(within, Effect.mapError(failed)),
    watch: (given, visit) => watch(given, visit).pipe(within, Effect.mapError(failed)),
    time: (given) => time(given).pipe(within, Effect.mapError(failed)),
  }
  return made
})

function draw(folder: string, { charts }: Report): ReadonlyArray<string> {
  const filled = charts.filter(({ chart }) =>
    chart.panels.some(({ groups }) => groups.some(({ bars }) => bars.some((bar) => bar !== null))),
  )
  return filled.map(({ file, chart }) => {
    const path = join(folder, file)
    writeFileSync(path, drawBarChart(chart))
    return path
  })
}

function summary({ name, title, source }: Reproduction, { tables, comparisons }: Report, files: ReadonlyArray<string>) {
  return { name, title, source, comparisons, tables, files }
}

function describe(
  { name, title, source }: Reproduction,
  { tables, comparisons }: Report,
  files: ReadonlyArray<string>,
): string {
  return (
    [
      `${name}: ${title}\n${source}`,
      ...tables
        .filter(({ rows }) => rows.length > 0)
        .map(({ title: of, heading, rows }) => `${of}\n\n${table(heading, rows)}`),
      comparisonText(comparisons),
      ...files.map((file) => `chart: ${file}`),
    ].join('\n\n') + '\n'
  )
}

function comparisonText(comparisons: Report['comparisons']): string {
  const { heading, rows, note } = comparisonTable(comparisons)
  return [...(rows.length === 0 ? [] : [table(heading, rows)]), ...(note === undefined ? [] : [note])].join('\n\n')
}
