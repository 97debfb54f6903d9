import {
  type Discipline,
  type Part,
  partOf,
  type Report,
  type Reproduction,
  reproductions,
  readOutputs,
  Runs,
  StoredOutputs,
  Traces,
} from '@cloister/reproduce'
import { tracesIn } from '@cloister/reproduce/node'
import { optionWords } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { openResults } from '@cloister/sweep'
import { drawBars, type Drawer } from '@cloister/figures'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { emptyDocument } from '../plot/document.ts'
import { type Faults, paperRuns } from '../reproduce/paper-runs.ts'
import { reportText } from '../reproduce/report-text.ts'
import { meant } from '../terminal/nearest.ts'
import { print, remark } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { checkAtLeast, integerFlag, jsonFlag, type Options, refuseIf, textFlag } from './flags.ts'
import { auditFlag, checkWorkers, experimentFlags, optionsOf } from './sweep/experiment.ts'

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
  printQueue: Flag.Boolean('print-queue').pipe(
    Flag.withDescription('Print the queue options of the experiments, and run nothing'),
    Flag.withDefault(false),
  ),
  ...experimentFlags,
  audit: Flag.optional(auditFlag),
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
  const { names, out, processes, reservation, firstJobs, printQueue, force, json, workers } = options
  if (names.includes('list')) {
    const unused = unusedByList(options)
    yield* refuseIf(unused.length > 0, `${unused.join(' and ')} cannot be used with list`)
    return yield* list(json)
  }
  const chosen = yield* Effect.forEach(names, find)
  if (printQueue) return yield* printDisciplines(chosen, json)
  yield* checkWorkers(workers)
  yield* checkAtLeast('processes', processes, 1)
  yield* checkLogs(chosen, options)
  const part = {
    traces: Option.getOrUndefined(options.traces)?.split(','),
    firstJobs: Option.getOrUndefined(firstJobs),
  }
  if (part.firstJobs !== undefined) yield* checkAtLeast('first-jobs', part.firstJobs, 1)
  const disk = yield* Files
  yield* attempt(() => disk.makeFolder(out))
  const results = yield* openResults(join(out, 'results.ndjson'), { anew: force })
  const hasAudit = Option.getOrElse(options.audit, () => true)
  const experiment = optionsOf(options, workers, hasAudit)
  const faults: Faults = { audits: 0, runs: 0 }
  const runs = yield* paperRuns(results, experiment, processes, faults, Option.getOrUndefined(reservation))
  const { service: traces, asked } = partOf(tracesIn(experiment.traceDir, remark), part)
  const document = yield* emptyDocument
  const made: Array<ReturnType<typeof summary>> = []
  for (const each of chosen) {
    const report = yield* each.produce.pipe(
      Effect.provideService(Runs, runs),
      Effect.provideService(Traces, traces),
      Effect.provideService(StoredOutputs, storedOutputs),
    )
    const files = yield* attempt(() => draw(disk, document, out, report))
    made.push(summary(each, report, files))
    if (!json) yield* print(false, undefined, () => describe(each, report, files, part))
  }
  yield* attempt(() => results.close())
  yield* checkNames(part, asked)
  if (json) yield* print(true, made.length === 1 ? made[0] : made, () => '')
  if (faults.audits > 0) return yield* new ExitWith(exitCodes.no)
  if (faults.runs > 0) return yield* new ExitWith(exitCodes.notWhole)
}, Effect.scoped)

/** Stored outputs of the experiments of this build; the build writes them into a file beside the program. */
const storedOutputs: StoredOutputs['Service'] = {
  all: attempt(() => readOutputs(readFileSync(new URL('./stored-outputs.txt', import.meta.url), 'utf8'))),
}

function checkLogs(
  chosen: ReadonlyArray<Reproduction>,
  { audit, keepLogs, reservation }: ReproduceOptions,
): Effect.Effect<void, Problem> {
  const ofLogs = [
    ...(Option.getOrElse(audit, () => false) ? ['--audit'] : []),
    ...(Option.isSome(keepLogs) ? ['--keep-logs'] : []),
  ]
  const ofRuns = Option.isSome(reservation) ? ['--reservation'] : []
  const refused = chosen.flatMap(({ name, withoutLogs }) => {
    const options = [...(withoutLogs === undefined ? [] : ofLogs), ...(withoutLogs?.runs === 'none' ? ofRuns : [])]
    return options.length === 0 ? [] : [{ name, reason: withoutLogs!.reason, options }]
  })
  if (refused.length === 0) return Effect.void
  const options = [...new Set(refused.flatMap((each) => each.options))]
  return Effect.fail(
    new Problem(
      [
        `${options.join(' and ')} cannot be used here:`,
        ...refused.map(({ name, reason }) => `  ${name} writes no event log: ${reason}`),
        `  remove ${options.length === 1 ? 'the option' : 'the options'} for ${refused.length === 1 ? 'this reproduction' : 'these reproductions'}`,
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
    ['--print-queue', given.printQueue],
    ['--workers', given.workers !== availableParallelism()],
    ['--audit', Option.contains(given.audit, true)],
    ['--no-audit', Option.contains(given.audit, false)],
    ['--keep-logs', Option.isSome(given.keepLogs)],
    ['--force', given.force],
  ]
  return others.flatMap(([what, isGiven]) => (isGiven ? [what] : []))
}

function printDisciplines(chosen: ReadonlyArray<Reproduction>, json: boolean): Effect.Effect<void> {
  const found = chosen.map(({ name, discipline }) => ({ name, discipline: discipline ?? null }))
  return print(json, found.length === 1 ? found[0] : found, () =>
    found
      .map(({ name, discipline }) => `${chosen.length > 1 ? `${name}: ` : ''}${disciplineText(discipline)}`)
      .join('\n'),
  )
}

function disciplineText(discipline: Discipline | null): string {
  return discipline === null ? 'differs between runs, see the tables' : optionWords(discipline).join(' ')
}

function list(json: boolean): Effect.Effect<void> {
  const known = reproductions.map(({ name, title, source, withoutLogs }) => ({
    name,
    title,
    source,
    withoutLogs: withoutLogs?.reason ?? null,
  }))
  return print(json, known, () =>
    table(
      ['name', 'what', 'from', 'logs'],
      known.map(({ name, title, source, withoutLogs }) => [
        name,
        title,
        source,
        withoutLogs === null ? 'audited' : 'none',
      ]),
    ),
  )
}

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

function summary({ name, title, source }: Reproduction, { tables, comparisons }: Report, files: ReadonlyArray<string>) {
  return { name, title, source, comparisons, tables, files }
}

function describe(
  { name, title, source }: Reproduction,
  report: Report,
  files: ReadonlyArray<string>,
  { firstJobs }: Part,
): string {
  const text = reportText(report)
  const part = firstJobs === undefined ? '' : `\nthe first ${firstJobs} jobs of each log`
  return (
    [
      `${name}: ${title}\n${source}${part}`,
      ...(text === '' ? [] : [text]),
      ...files.map((file) => `chart: ${file}`),
    ].join('\n\n') + '\n'
  )
}
