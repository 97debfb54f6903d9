import {
  type Part,
  partOf,
  type Report,
  type Reproduction,
  reproductions,
  readOutputs,
  StoredOutputs,
  Traces,
} from '@cloister/reproduce'
import { tracesIn } from '@cloister/reproduce/node'
import { attempt, type RunSpec } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { openResults, type Shard, SweepFolder } from '@cloister/sweep'
import { drawBars, type Drawer } from '@cloister/figures'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { emptyDocument } from '../plot/document.ts'
import { paperRuns, type PaperRunsOptions, type Verdict, verdictText } from '../reproduce/paper-runs.ts'
import { plannedRuns } from '../reproduce/planned-runs.ts'
import { printExperiment } from '../reproduce/print-experiment.ts'
import { reportText } from '../reproduce/report-text.ts'
import { entries } from '../terminal/help.ts'
import { meant } from '../terminal/nearest.ts'
import { print, printText, remark } from '../terminal/output.ts'
import { untilSignal } from '../terminal/signals.ts'
import { Terminal } from '../terminal/terminal.ts'
import { checkAtLeast, integerFlag, jsonFlag, onFlag, type Options, refuseIf, textFlag } from './flags.ts'
import { auditFlag, digestsOf, experimentFlags, optionsOf, workersOf } from './sweep/experiment.ts'
import { divisionOf, givenShard, runDivided, shardFlags, workerOf } from './sweep/shards.ts'

const flags = {
  names: Argument.String('name').pipe(
    Argument.withDescription(
      `list, or the names of experiments\nExperiments: ${reproductions.map(({ name }) => name).join(', ')}.`,
    ),
    Argument.variadic({ min: 1 }),
  ),
  out: textFlag(
    'out',
    'DIR',
    'Folder for charts and results, default: reproduced\nA later reproduction takes the results of finished runs from the folder.',
  ).pipe(Flag.withDefault('reproduced')),
  processes: integerFlag(
    'processes',
    'N',
    'Processes for each measured time, default: 3\nThe measured time is the median of the N processes.',
  ).pipe(Flag.withDefault(3)),
  reservation: Flag.Literals('reservation', ['movable', 'fixed']).pipe(
    Flag.withDescription(
      'Reservation of EASY in every run: movable or fixed\nDefault: the assumption of the experiment about the scheduler of its paper.',
    ),
    Flag.optional,
  ),
  traces: textFlag(
    'traces',
    'NAME,...',
    'Use only these job logs, separated by commas\nThe names are those of the tables of results. A part of the job logs gives a first impression of an experiment that takes hours.',
  ).pipe(Flag.optional),
  firstJobs: integerFlag('first-jobs', 'N', 'Use only the first N jobs of each job log').pipe(Flag.optional),
  printExperiment: onFlag(
    'print-experiment',
    'Print the runs as an experiment for cloister sweep, run nothing\nA reproduction that needs more than the metrics of its runs is no plain sweep.',
  ),
  ...experimentFlags,
  audit: Flag.optional(auditFlag),
  ...shardFlags,
  json: jsonFlag,
}

export const reproduce = Command.make('reproduce', flags, (options) => reproduceAll(options)).pipe(
  Command.withDescription("Run a paper's experiment, and compare with the published values"),
  Command.withExamples([
    { command: 'cloister reproduce list', description: 'List the experiments' },
    {
      command: 'cloister reproduce jigsaw-fig6 --trace-dir logs',
      description: "Reproduce the Jigsaw paper's utilization as table and chart",
    },
    {
      command: 'cloister reproduce jigsaw-fig8 --traces Atlas --first-jobs 2000',
      description: 'Try an experiment within a minute, on the first jobs of one log',
    },
  ]),
)

type ReproduceOptions = Options<typeof flags>

const reproduceAll = Effect.fn(function* (options: ReproduceOptions) {
  const { names, out, processes, force, json, emit } = options
  if (names.includes('list')) {
    const unused = unusedByList(options)
    yield* refuseIf(unused.length > 0, `${unused.join(' and ')} cannot be used with list`)
    return yield* list(json)
  }
  const chosen = yield* Effect.forEach(names, find)
  const workers = yield* workersOf(options.workers, Option.isSome(emit) ? 1 : availableParallelism())
  yield* checkAtLeast('processes', processes, 1)
  const shard = yield* givenShard(options.shard)
  const divided = [...new Set([...(shard === undefined ? [] : ['--shard']), ...divisionOf(options)])]
  yield* checkLogs(chosen, options, divided)
  const part = {
    traces: Option.getOrUndefined(options.traces)?.split(','),
    firstJobs: Option.getOrUndefined(options.firstJobs),
  }
  if (part.firstJobs !== undefined) yield* checkAtLeast('first-jobs', part.firstJobs, 1)
  const hasAudit = Option.getOrElse(options.audit, () => true)
  const reservation = Option.getOrUndefined(options.reservation)
  const settings = { ...optionsOf(options, workers, hasAudit), processes, reservation }
  const logs = partOf(tracesIn(settings.traceDir, join(out, 'jobs'), remark), part)
  if (options.printExperiment) {
    const printed = printExperiment(chosen, logs.service, settings, json)
    return yield* printed.pipe(Effect.provideService(StoredOutputs, storedOutputs))
  }
  if (divided.length > 0) {
    const plan = plannedRuns(chosen, logs.service, settings).pipe(
      Effect.provideService(StoredOutputs, storedOutputs),
      Effect.tap(() => checkNames(part, logs.asked)),
    )
    return yield* untilSignal(runShards(plan, options, settings, shard))
  }
  const { service: traces, asked } = logs
  const disk = yield* Files
  yield* attempt(() => disk.makeFolder(out))
  const results = yield* openResults(join(out, 'results.ndjson'), { anew: force })
  const verdict: Verdict = { violations: new Map(), failedAudits: 0, failedRuns: 0 }
  const runs = yield* paperRuns(results, force ? undefined : shardsIn(out), settings, verdict)
  const document = yield* emptyDocument
  const made: Array<ReturnType<typeof summary>> = []
  for (const each of chosen) {
    const report = yield* each.produce.pipe(
      Effect.provideContext(runs),
      Effect.provideService(Traces, traces),
      Effect.provideService(StoredOutputs, storedOutputs),
    )
    const files = yield* attempt(() => draw(disk, document, out, report))
    made.push(summary(each, report, files, part))
    if (!json) yield* printText(describe(each, report, files, part))
  }
  yield* attempt(() => results.close())
  yield* checkNames(part, asked)
  if (json) yield* print('reproduce', true, made.length === 1 ? made[0] : made, () => '')
  const audits = verdictText(verdict)
  if (audits !== undefined) yield* remark(audits)
  if (verdict.failedAudits > 0) return yield* new ExitWith(exitCodes.no)
  if (verdict.failedRuns > 0) return yield* new ExitWith(exitCodes.notWhole)
}, Effect.scoped)

/** Stored outputs of the experiments of this build; the build writes them into a file beside the program. */
const storedOutputs: StoredOutputs['Service'] = {
  all: attempt(() => readOutputs(readFileSync(new URL('./stored-outputs.txt', import.meta.url), 'utf8'))),
}

const shardsIn = (out: string): SweepFolder => new SweepFolder(join(out, 'shards'))

/** Runs the shard of this process, or prints the script of all shards. @param plan returns the runs of all shards */
const runShards = Effect.fnUntraced(function* <E, R>(
  plan: Effect.Effect<ReadonlyArray<RunSpec>, E, R>,
  options: ReproduceOptions,
  settings: PaperRunsOptions,
  shard: Shard | undefined,
) {
  const { names, out, force, traces, firstJobs, reservation, traceDir, keepLogs } = options
  yield* refuseIf(
    force,
    '--force and --shard exclude each other: shards always keep existing results; give another --out, or remove the folder, to begin again',
  )
  const { audit } = settings
  const cells = yield* digestsOf(yield* plan, audit)
  const value = (flag: string, of: Option.Option<string | number>) =>
    Option.isNone(of) ? [] : [flag, String(of.value)]
  const part = [
    ...value('--traces', traces),
    ...value('--first-jobs', firstJobs),
    ...value('--reservation', reservation),
  ]
  const run = ['reproduce', ...names, '--out', out, ...part]
  // A batch system may run the joining command, too; `none` keeps the command from taking a shard.
  const own = ['--shard', 'none', ...value('--trace-dir', traceDir), ...value('--keep-logs', keepLogs)]
  const divided = {
    experiment: names.join(' '),
    cells,
    folder: shardsIn(out),
    run,
    merge: [...run, ...own, ...(audit ? [] : ['--no-audit'])],
    next: `The same command without --shard joins the results of all shards in ${out}, runs the missing cells, and prints the report.`,
  }
  yield* runDivided(divided, yield* workerOf(settings, shard, options.lease), { ...options, audit })
})

/** @param divided given options about shards, which need runs with event logs */
function checkLogs(
  chosen: ReadonlyArray<Reproduction>,
  { audit, keepLogs, reservation }: ReproduceOptions,
  divided: ReadonlyArray<string>,
): Effect.Effect<void, Problem> {
  const ofLogs = [
    ...(Option.getOrElse(audit, () => false) ? ['--audit'] : []),
    ...(Option.isSome(keepLogs) ? ['--keep-logs'] : []),
    ...divided,
  ]
  const ofRuns = Option.isSome(reservation) ? ['--reservation'] : []
  const refused = chosen.flatMap(({ name, withoutLogs }) => {
    const unusable = [...(withoutLogs === undefined ? [] : ofLogs), ...(withoutLogs?.runs === 'none' ? ofRuns : [])]
    return unusable.length === 0 ? [] : [{ name, reason: withoutLogs!.reason, unusable }]
  })
  if (refused.length === 0) return Effect.void
  const given = [...new Set(refused.flatMap(({ unusable }) => unusable))]
  return Effect.fail(
    new Problem(
      [
        `${given.join(' and ')} cannot be used here:`,
        ...refused.map(({ name, reason }) => `  ${name} writes no event log: ${reason}`),
        `  remove ${given.length === 1 ? 'the option' : 'the options'} for ${refused.length === 1 ? 'this reproduction' : 'these reproductions'}`,
      ].join('\n'),
    ),
  )
}

/** @param asked names of the job logs that the chosen experiments loaded */
function checkNames({ traces = [] }: Part, asked: ReadonlySet<string>): Effect.Effect<void, Problem> {
  const unknown = traces.find((name) => !asked.has(name))
  if (unknown === undefined) return Effect.void
  const expected = asked.size === 0 ? 'no --traces: the experiment loads no job log' : `one of ${[...asked].join(', ')}`
  return Effect.fail(new Problem(`--traces: found ${unknown}, expected ${expected}`))
}

function unusedByList(given: ReproduceOptions): ReadonlyArray<string> {
  const others: ReadonlyArray<readonly [what: string, isGiven: boolean]> = [
    ...given.names.filter((name) => name !== 'list').map((name) => [name, true] as const),
    ['--out', given.out !== 'reproduced'],
    ['--processes', given.processes !== 3],
    ['--reservation', Option.isSome(given.reservation)],
    ['--traces', Option.isSome(given.traces)],
    ['--first-jobs', Option.isSome(given.firstJobs)],
    ['--print-experiment', given.printExperiment],
    ['--workers', Option.isSome(given.workers)],
    ['--audit', Option.contains(given.audit, true)],
    ['--no-audit', Option.contains(given.audit, false)],
    ['--keep-logs', Option.isSome(given.keepLogs)],
    ['--force', given.force],
    ...divisionOf(given).map((option) => [option, true] as const),
  ]
  return others.flatMap(([what, isGiven]) => (isGiven ? [what] : []))
}

const list = Effect.fnUntraced(function* (json: boolean) {
  const { columns } = yield* Terminal
  const known = reproductions.map(({ name, title, source, withoutLogs }) => ({
    name,
    title,
    source,
    withoutLogs: withoutLogs?.reason ?? null,
  }))
  yield* print('reproduce', json, known, () =>
    entries(
      known.map(({ name, title, source, withoutLogs }) => [
        `${name}${withoutLogs === null ? '' : ' (writes no log)'}`,
        `${title}\n${source}`,
      ]),
      columns,
    ),
  )
})

function find(name: string): Effect.Effect<Reproduction, Problem> {
  const found = reproductions.find((each) => each.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const known = reproductions.map((each) => each.name)
  return Effect.fail(new Problem(`there is no reproduction ${JSON.stringify(name)}${meant(name, known)}`))
}

function draw(disk: Files['Service'], document: Drawer, folder: string, { charts }: Report): ReadonlyArray<string> {
  const filled = charts.filter(({ chart }) =>
    chart.panels.some(({ groups }) => groups.some(({ bars }) => bars.some((bar) => bar !== null))),
  )
  return filled.map(({ file, chart }) => {
    const path = join(folder, file)
    disk.writeText(path, drawBars(document, chart), 'overwrite')
    return path
  })
}

function summary(
  { name, title, source }: Reproduction,
  { tables, comparisons }: Report,
  files: ReadonlyArray<string>,
  { firstJobs }: Part,
) {
  return { name, title, source, firstJobs: firstJobs ?? null, comparisons, tables, files }
}

function describe(
  { name, title, source }: Reproduction,
  report: Report,
  files: ReadonlyArray<string>,
  { firstJobs }: Part,
): string {
  const text = reportText(report)
  const part = firstJobs === undefined ? '' : `\na taste, not a result: only the first ${firstJobs} jobs of each log`
  return (
    [
      `${name}: ${title}\n${source}${part}`,
      ...(text === '' ? [] : [text]),
      ...files.map((file) => `chart: ${file}`),
    ].join('\n\n') + '\n'
  )
}
