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
  type RunSpec,
  Traces,
} from '@cloister/reproduce'
import { tracesIn } from '@cloister/reproduce/node'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { type Cell, canonicalCell, cellKey, describeCell, runOptions } from '../cell.ts'
import { ExitWith, Problem, attempt, exitCodes } from '../errors/problem.ts'
import { record } from '../run.ts'
import { prepareRun } from '../run-options.ts'
import { timeSimulate } from '../sweep/fresh-process.ts'
import type { ResultsFile } from '../sweep/results-file.ts'
import { type ExperimentOptions, policyVersions, runExperiment } from '../sweep/run-experiment.ts'
import { auditFailures } from '../sweep/sweep-table.ts'
import { nearest } from '../terminal/nearest.ts'
import { print, remark } from '../terminal/output.ts'
import { Progress } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'
import { jsonFlag } from './flags.ts'
import { checkWorkers, experimentFlags, openResults } from './sweep.ts'

export const reproduce = Command.make(
  'reproduce',
  {
    names: Argument.String('name').pipe(
      Argument.withDescription(`list, or what to make again: ${reproductions.map(({ name }) => name).join(', ')}`),
      Argument.variadic({ min: 1 }),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('Folder for charts and for the results of runs, which later reproductions take up'),
      Flag.withDefault('reproduced'),
    ),
    processes: Flag.Int('processes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Processes per time measured; their median counts'),
      Flag.withDefault(3),
    ),
    ...experimentFlags,
    json: jsonFlag,
  },
  Effect.fn(function* ({ names, out, processes, force, json, workers, audit, keepLogs, ...options }) {
    if (names.includes('list')) return yield* list(json)
    const chosen = yield* Effect.forEach(names, find)
    yield* checkWorkers(workers)
    if (processes < 1) return yield* new Problem(`--processes: found ${processes}, expected at least 1`)
    yield* attempt(() => mkdirSync(out, { recursive: true }))
    const results = yield* openResults(join(out, 'results.ndjson'), force)
    const experiment = {
      workers,
      audit,
      traceDir: Option.getOrUndefined(options.traceDir),
      keepLogs: Option.getOrUndefined(keepLogs),
    }
    const failures: Array<string> = []
    const runs = runsInto(results, experiment, processes, failures)
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
  }, Effect.scoped),
).pipe(
  Command.withDescription("Run a paper's experiment again, and show its values beside ours"),
  Command.withExamples([
    { command: 'cloister reproduce list', description: 'What can be made again' },
    {
      command: 'cloister reproduce jigsaw-fig6 --trace-dir logs',
      description: "The Jigsaw paper's utilization, as a table and a chart",
    },
  ]),
)

function list(json: boolean): Effect.Effect<void> {
  const known = reproductions.map(({ name, title, source }) => ({ name, title, source }))
  return print(json, known, () =>
    table(
      ['name', 'what', 'from'],
      known.map(({ name, title, source }) => [name, title, source]),
    ),
  )
}

function find(name: string): Effect.Effect<Reproduction, Problem> {
  const found = reproductions.find((each) => each.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const names = reproductions.map((each) => each.name)
  const close = nearest(name, names)
  return Effect.fail(
    new Problem(
      `there is nothing to reproduce as ${JSON.stringify(name)}; ${close === undefined ? `known are ${names.join(', ')}` : `did you mean ${close}?`}`,
    ),
  )
}

function raise(cause: unknown): never {
  throw cause
}

/** Runs go into the results file; what an audit finds in one of them is told, and added to `failures`. */
function runsInto(
  results: ResultsFile,
  options: ExperimentOptions,
  processes: number,
  failures: Array<string>,
): Runs['Service'] {
  const run = Effect.fnUntraced(function* (specs: ReadonlyArray<RunSpec>) {
    const cells = specs.map(canonical)
    const outcome = yield* runExperiment(cells, yield* policyVersions(cells), results, options)
    for (const failure of auditFailures(outcome.results, describeCell)) {
      yield* remark(`audit: ${failure}`)
      failures.push(failure)
    }
    const byCell = new Map(outcome.results.map((result) => [cellKey(result.cell), result]))
    return cells.map((cell) => byCell.get(cellKey(cell)))
  })
  const watch = Effect.fnUntraced(function* (spec: RunSpec, visit: Parameters<Runs['Service']['watch']>[1]) {
    const cell = canonical(spec)
    const prepared = yield* prepareRun(runOptions(cell, Option.fromUndefinedOr(options.traceDir)))
    yield* attempt(() => {
      const chunks: Array<Uint8Array> = []
      const progress = new Progress(`${describeCell(cell)}:`)
      record(
        prepared,
        (chunk) => chunks.push(chunk),
        (ended, jobs) => progress.update(ended, jobs),
      )
      progress.end()
      for (const each of readLog(chunks, sha256)) visit(each)
    })
  })
  const failed = (cause: unknown): ExperimentError => new ExperimentError({ cause })
  return {
    run: (specs) => run(specs).pipe(Effect.mapError(failed)),
    watch: (spec, visit) => watch(spec, visit).pipe(Effect.mapError(failed)),
    time: (spec) =>
      timeSimulate(processes, simulateArguments(canonical(spec), options.traceDir)).pipe(
        Effect.map(({ microsecondsPerJob }) => microsecondsPerJob / 1e6),
        Effect.mapError(failed),
      ),
  }
}

function canonical(spec: RunSpec): Cell {
  return canonicalCell(spec, (_, error) => {
    throw error
  })
}

function simulateArguments({ config, ...cell }: Cell, traceDir: string | undefined): ReadonlyArray<string> {
  const flags = Object.entries(cell).flatMap(([field, value]) => [`--${field}`, String(value)])
  return [
    ...flags,
    ...(config === undefined ? [] : ['--policy-config', JSON.stringify(config)]),
    ...(traceDir === undefined ? [] : ['--trace-dir', traceDir]),
  ]
}

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
