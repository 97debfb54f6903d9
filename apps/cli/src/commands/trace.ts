import { attempt, canonicalSpec, SystemError, Traces } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  type AccountingFacts,
  anonymisedTrace,
  type ConvertedWorkload,
  formatSwf,
  type SmallerThanNode,
  swfFromConverted,
  swfFromWorkload,
} from '@cloister/trace-io'
import {
  describeWorkload,
  type Distribution,
  generateSynthetic,
  parseSynthetic,
  type WorkloadDescription,
} from '@cloister/workload'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { FileExistsError, Problem } from '../errors/errors.ts'
import { checkNotInput } from '../files/outputs.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { runFiles, runInputs } from '../run/inputs.ts'
import { remarkOnLosses } from '../run/prepare-run.ts'
import { givenSpec, traceArgument, traceDirFlag, workloadFlags } from '../run/run-flags.ts'
import { print, remark } from '../terminal/output.ts'
import { count, decimal, duration, durations, percent } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { Terminal } from '../terminal/terminal.ts'
import { describeContradictions } from '../trace/contradictions.ts'
import { anonymiseFlag, forceFlag, integerFlag, jsonFlag, type Options, outFlag } from './flags.ts'

/** Argument and flags that select the jobs of a trace, and set the arrival times of the jobs. */
const selectionFlags = { trace: traceArgument, ...workloadFlags, traceDir: traceDirFlag }

const infoFlags = {
  ...selectionFlags,
  nodes: integerFlag(
    'nodes',
    'N',
    'Number of nodes of a machine\nThe command prints the load of the trace as a share of the machine.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

const info = Command.make('info', infoFlags, (options) => describeTrace(options)).pipe(
  Command.withDescription('Show sizes, run times and load of a trace'),
  Command.withExamples([
    { command: 'cloister trace info synth:16', description: 'Show the synthetic trace of mean size 16' },
  ]),
)

const convertFlags = { ...selectionFlags, anonymise: anonymiseFlag, out: outFlag, force: forceFlag }

const convert = Command.make('convert', convertFlags, (options) => convertTrace(options)).pipe(
  Command.withDescription('Write the selected jobs of a trace as SWF, with sizes in nodes'),
  Command.withExamples([
    {
      command: 'cloister trace convert log.swf --procs-per-node 4 --filter first-days=7 --out week.swf',
      description: 'Write the first week of a trace',
    },
  ]),
)

const generateFlags = {
  trace: Argument.String('trace').pipe(
    Argument.withDescription(
      'Synthetic trace: synth:[laas:]MEAN[:COUNT[:SEED]]\nMEAN is the mean size of a job in nodes. COUNT is the number of jobs, default: 10000. SEED is the seed, default: 1. With laas: sizes and run times are drawn by the rules of the generator released with LaaS.',
    ),
  ),
  out: outFlag,
  force: forceFlag,
}

const generate = Command.make('generate', generateFlags, (options) => generateTrace(options)).pipe(
  Command.withDescription(
    'Write a synthetic trace as SWF\nSizes of jobs have an exponential distribution, run times a uniform one. The bytes of the trace are the same on every machine.',
  ),
  Command.withExamples([
    {
      command: 'cloister trace generate synth:16 --out synth-16.swf',
      description: 'Write Synth-16 of the Jigsaw paper',
    },
  ]),
)

export const trace = Command.make('trace').pipe(
  Command.withDescription('Show, convert and generate job traces'),
  Command.withSubcommands([info, convert, generate]),
)

const describeTrace = Effect.fn(function* ({ nodes, json, ...selection }: Options<typeof infoFlags>) {
  const loaded = yield* loadJobs(selection, true)
  const description = describeWorkload(loaded.workload, Option.isSome(nodes) ? { nodes: nodes.value } : {})
  const result = {
    ...description,
    arrivals: loaded.arrivals,
    read: loaded.read,
    skipped: loaded.skipped,
    roundedSizes: loaded.roundedSizes,
    smallerThanNode: loaded.smallerThanNode,
    differingSizes: loaded.differingSizes,
    unknownStatuses: loaded.unknownStatuses,
    badLines: loaded.badLines.count,
    longLines: loaded.longLines,
    nodeProcs: loaded.nodeProcs ?? null,
    accounting: loaded.accounting ?? null,
  }
  yield* print('trace info', json, result, () => describe(description, loaded))
})

const convertTrace = Effect.fn(function* ({ out, force, anonymise, ...selection }: Options<typeof convertFlags>) {
  const disk = yield* Files
  if (Option.isSome(out)) {
    const inputs = inputFiles(disk, out.value, [{ trace: selection.trace }], Option.getOrUndefined(selection.traceDir))
    yield* attempt(() => checkNotInput(disk, out.value, inputs))
  }
  const { origin, ...loaded } = yield* loadJobs(selection, false)
  const anonymiser = yield* anonymiserOf(anonymise, loaded.workload.filter)
  const source = anonymiser === undefined ? origin.trace : anonymisedTrace(origin.trace, anonymiser)
  const converted = { ...loaded, origin: { ...origin, trace: source } }
  yield* write(out, force, yield* attempt(() => formatSwf(swfFromConverted(converted))), loaded.workload.jobs.length)
})

/** Loads the selected jobs of a trace, and prints a remark on the jobs that the reader left out. */
const loadJobs = Effect.fnUntraced(function* (
  { trace, traceDir, ...flags }: Options<typeof selectionFlags>,
  countsNodeSharing: boolean,
) {
  const loading = Effect.gen(function* () {
    const given = { ...givenSpec(flags), trace, topology: 'radix:4', policy: 'none' }
    const spec = yield* attempt(() => canonicalSpec(given, runFiles))
    const { filter = '', skipBadLines = false, procsPerNode, sizes, arrivals, arrivesWhen, timeZone, columns } = spec
    return yield* (yield* Traces).load(trace, {
      filter,
      procsPerNode,
      sizes,
      arrivals,
      skipBadLines,
      ...(arrivesWhen && { arrivesWhen }),
      ...(timeZone && { timeZone }),
      ...(columns && { columns }),
      ...(countsNodeSharing && { countsNodeSharing }),
    })
  })
  const loaded = yield* loading.pipe(Effect.provide(runInputs(Option.getOrUndefined(traceDir))))
  yield* remarkOnLosses(loaded)
  const { read, workload } = loaded
  if (workload.jobs.length === 0)
    return yield* new Problem(
      `${trace}: no job of ${count(read)} passes the filter (${workload.filter || 'none'}); give a weaker --filter`,
    )
  return loaded
})

const generateTrace = Effect.fn(function* ({ trace, out, force }: Options<typeof generateFlags>) {
  const workload = yield* attempt(() => generateSynthetic(parseSynthetic(trace)))
  yield* write(out, force, formatSwf(swfFromWorkload(workload)), workload.jobs.length)
})

const write = Effect.fnUntraced(function* (out: Option.Option<string>, force: boolean, text: string, jobs: number) {
  if (Option.isNone(out) && force) return yield* new Problem('--force: needs --out FILE, the file to overwrite')
  if (Option.isNone(out)) return (yield* Terminal).write(text)
  const { writeText } = yield* Files
  yield* attempt(() => writeText(out.value, text, force ? 'overwrite' : 'refuse')).pipe(
    Effect.mapError((error) =>
      error instanceof SystemError && error.code === 'EEXIST' ? new FileExistsError({ path: out.value }) : error,
    ),
  )
  yield* remark(`${out.value}: ${count(jobs)} jobs`)
})

function describe(
  trace: WorkloadDescription,
  { accounting, smallerThanNode: smaller }: Pick<ConvertedWorkload, 'accounting' | 'smallerThanNode'>,
): string {
  const contradictions = accounting && describeContradictions(accounting.contradictions)
  const facts = fields([
    ['trace', trace.name],
    ['filter', trace.filter || 'none'],
    ['jobs', count(trace.jobs)],
    ['arrive within', duration(trace.span)],
    [
      'estimates',
      `${count(trace.estimates.known)} jobs; ${count(trace.estimates.overrun)} jobs run longer than the estimate`,
    ],
    ['node-hours', count(Math.round(trace.nodeHours))],
    [
      'load',
      trace.load &&
        `${decimal(trace.load.mean, 1)} nodes on average${trace.load.share === undefined ? '' : `, ${percent(trace.load.share)} of the machine`}; the busiest hour brings ${decimal(trace.load.max, 1)} node-hours`,
    ],
    ['with GPUs', accounting?.gpuJobs === undefined ? undefined : `${count(accounting.gpuJobs)} jobs`],
    ['smaller than a node', smaller.jobs === 0 ? undefined : describePart(smaller, trace.jobs)],
    ['shared nodes', accounting?.nodeSharing && describeSharing(accounting.nodeSharing)],
    ['contradictions', contradictions],
    ['sha256 of jobs', trace.sha256],
  ])
  const histograms = [
    histogram('size', trace.size, (bounds) => bounds.map((bound) => count(bound))),
    histogram('run time', trace.runTime, durations),
  ]
  return paragraphs([facts, summary(trace), ...histograms, describeLacks(accounting)])
}

function describePart({ jobs, nodeTime }: SmallerThanNode, all: number): string {
  return `${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'} (${percent(jobs / all)}), as whole nodes ${percent(nodeTime)} of node-time`
}

function describeSharing({ jobs, first }: NonNullable<AccountingFacts['nodeSharing']>): string {
  return first === undefined
    ? 'no jobs'
    : `${count(jobs)} jobs; the first: ${first.jobs.join(' and ')} on ${first.node}`
}

function describeLacks(accounting: AccountingFacts | undefined): string | undefined {
  if (accounting === undefined || accounting.lacks.length === 0) return undefined
  const { lacks, command } = accounting
  const rows = lacks.map(({ field, gives }) => [field, gives] as const)
  return `The accounting file lacks:\n${fields(rows)}\n\nThe command for a complete file:\n${command}`
}

function summary({ size, runTime, walltime }: WorkloadDescription): string {
  const values = (of: Distribution | undefined): ReadonlyArray<number> =>
    of === undefined ? [] : [of.min, of.median, of.mean, of.max]
  const times = durations([...values(runTime), ...values(walltime)])
  const rows = [
    ['size (nodes)', ...values(size).map((nodes) => count(Math.round(nodes * 10) / 10))],
    ['run time', ...times.slice(0, values(runTime).length)],
    ['walltime', ...times.slice(values(runTime).length)],
  ]
  return table(
    ['', 'min', 'median', 'mean', 'max'],
    rows.filter(({ length }) => length > 1),
  )
}

const barWidth = 40

function histogram(
  name: string,
  { histogram: bins }: Distribution | undefined = { histogram: [] } as never,
  show: (bounds: ReadonlyArray<number>) => ReadonlyArray<string>,
): string {
  const most = Math.max(...bins.map((bin) => bin.jobs))
  const bounds = show(bins.flatMap(({ from, to }) => [from, to]))
  return table(
    [`${name} from`, 'to below', 'jobs', ''],
    bins.map((bin, at) => [
      bounds[2 * at],
      bounds[2 * at + 1],
      count(bin.jobs),
      '#'.repeat(Math.ceil((bin.jobs / most) * barWidth)),
    ]),
  )
}
