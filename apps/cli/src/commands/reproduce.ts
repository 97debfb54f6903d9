import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { type Cell, describeCell, runOptions } from '../cell.ts'
import { timeSimulate } from '../sweep/fresh-process.ts'
import { nearest } from '../terminal/nearest.ts'
import { jsonFlag } from './flags.ts'
import { print, remark } from '../terminal/output.ts'
import { builtins } from '../policy/policy-lookup.ts'
import { Progress } from '../terminal/progress.ts'
import { ExitWith, Problem, attempt, exitCodes } from '../errors/problem.ts'
import { drawBarChart } from '../reproduce/bar-chart.ts'
import { comparisonTable } from '../reproduce/comparison.ts'
import { totalsOfHpc2n, totalsOfOthers, waitsOfContiguous, waitsOfHpc2n } from '../reproduce/contiguity.ts'
import { schemes } from '../reproduce/jigsaw-paper.ts'
import { locateTrace } from '../reproduce/locate-trace.ts'
import { fig8 } from '../reproduce/makespan.ts'
import * as mishra from '../reproduce/mishra.ts'
import * as mishraIndividual from '../reproduce/mishra-individual.ts'
import * as pollard from '../reproduce/pollard.ts'
import * as pollardHops from '../reproduce/pollard-hops.ts'
import * as pollardRequests from '../reproduce/pollard-requests.ts'
import { type Context, Outcomes, type Planned, type Report, type Reproduction } from '../reproduce/reproduction.ts'
import { table1 } from '../reproduce/table1.ts'
import { table2 } from '../reproduce/table2.ts'
import { table3 } from '../reproduce/table3.ts'
import { fig7 } from '../reproduce/turnaround.ts'
import { fig6, on1024Nodes } from '../reproduce/utilization.ts'
import type { ResultsFile } from '../sweep/results-file.ts'
import { record } from '../run.ts'
import { prepareRun } from '../run-options.ts'
import { type ExperimentOptions, policyVersions, runExperiment } from '../sweep/run-experiment.ts'
import { auditFailures } from '../sweep/sweep-table.ts'
import { table } from '../terminal/table.ts'
import { checkWorkers, experimentFlags, openResults } from './sweep.ts'

const reproductions: ReadonlyArray<Reproduction> = [
  table1,
  fig6,
  on1024Nodes,
  table2,
  fig7,
  fig8,
  table3,
  waitsOfContiguous,
  totalsOfHpc2n,
  waitsOfHpc2n,
  totalsOfOthers,
  mishra.table3,
  mishraIndividual.table4,
  mishra.fig6,
  mishraIndividual.fig7,
  mishraIndividual.fig8,
  mishra.fig9,
  pollard.table1,
  pollardRequests.fig5,
  pollardRequests.fig6,
  pollardHops.fig7,
  pollard.fig8,
  pollard.fig9,
  pollard.fig10,
]

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
    const context = yield* makeContext(results, experiment, processes)
    const made: Array<ReturnType<typeof summary>> = []
    for (const each of chosen) {
      const report = yield* each.produce(context)
      const files = yield* attempt(() => draw(out, report))
      made.push(summary(each, report, files))
      if (!json) yield* print(false, undefined, () => describe(each, report, files))
    }
    if (json) yield* print(true, made.length === 1 ? made[0] : made, () => '')
    if (context.auditFailures.length > 0) yield* new ExitWith(exitCodes.no)
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

const makeContext = Effect.fnUntraced(function* (results: ResultsFile, options: ExperimentOptions, processes: number) {
  const present = schemes.filter(({ policy }) => builtins.some(({ name }) => name === policy))
  for (const { name, policy } of schemes)
    if (!present.some((each) => each.name === name))
      yield* remark(`${name} is left out: there is no policy ${policy} built in`)
  const missing = new Set<string>()
  const failures: Array<string> = []
  const context: Context & { readonly auditFailures: ReadonlyArray<string> } = {
    traceDir: options.traceDir,
    schemes: present,
    auditFailures: failures,
    locate: Effect.fnUntraced(function* (trace) {
      const located = locateTrace(trace, options.traceDir)
      if (!('missing' in located)) return located
      if (!missing.has(trace.name)) yield* remark(`${trace.name} is left out: ${located.missing}`)
      missing.add(trace.name)
      return undefined
    }),
    run: Effect.fnUntraced(function* (planned: ReadonlyArray<Planned>) {
      const cells = planned.map(({ cell }) => cell)
      const outcome = yield* runExperiment(cells, yield* policyVersions(cells), results, options)
      for (const failure of auditFailures(outcome.results, describeCell)) {
        yield* remark(`audit: ${failure}`)
        failures.push(failure)
      }
      return new Outcomes(planned, outcome.results)
    }),
    watch: Effect.fnUntraced(function* (cell: Cell, visit: (record: LogRecord) => void) {
      const run = yield* prepareRun(runOptions(cell, Option.fromUndefinedOr(options.traceDir)))
      yield* attempt(() => {
        const chunks: Array<Uint8Array> = []
        const progress = new Progress(`${describeCell(cell)}:`)
        record(
          run,
          (chunk) => chunks.push(chunk),
          (ended, jobs) => progress.update(ended, jobs),
        )
        progress.end()
        for (const each of readLog(chunks, sha256)) visit(each)
      })
    }),
    time: (cell) =>
      Effect.map(
        timeSimulate(processes, simulateArguments(cell, options.traceDir)),
        ({ microsecondsPerJob }) => microsecondsPerJob / 1e6,
      ),
  }
  return context
})

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
      comparisonTable(comparisons),
      ...files.map((file) => `chart: ${file}`),
    ].join('\n\n') + '\n'
  )
}
