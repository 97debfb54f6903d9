import {
  type Distribution,
  type WorkloadDescription,
  describeWorkload,
  generateSynthetic,
  parseSynthetic,
} from '@cloister/workload'
import {
  type AccountingFacts,
  anonymisedTrace,
  type ConvertedWorkload,
  type SmallerThanNode,
  formatSwf,
  swfFromConverted,
  swfFromWorkload,
} from '@cloister/trace-io'
import { Effect, Option } from 'effect'
import { print, remark } from '../terminal/output.ts'
import { count, decimal, duration, durations, percent } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { SystemError } from '@cloister/run/node'
import { FileExistsError } from '../errors/errors.ts'
import { describeContradictions } from './contradictions.ts'
import { loadJobs, type WorkloadFlags } from './load-jobs.ts'
import { OptionError } from '@cloister/run'
import { attempt } from '../errors/attempt.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { checkNotInput } from '../files/outputs.ts'
import { Terminal } from '../terminal/terminal.ts'
import { Files } from '../files/files.ts'

export interface InfoOptions extends WorkloadFlags {
  readonly trace: string
  readonly nodes: Option.Option<number>
  readonly json: boolean
}

export const describeTrace = Effect.fn(function* ({ trace, nodes, json, ...options }: InfoOptions) {
  const loaded = yield* loadJobs(trace, { ...options, countsNodeSharing: true })
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
  yield* print(json, result, () => describe(description, loaded))
})

export interface ConvertOptions extends WorkloadFlags {
  readonly anonymise: Option.Option<string>
  readonly trace: string
  readonly out: Option.Option<string>
  readonly force: boolean
}

export const convertTrace = Effect.fn(function* ({ trace, out, force, anonymise, ...options }: ConvertOptions) {
  const disk = yield* Files
  if (Option.isSome(out)) {
    const inputs = inputFiles(disk, out.value, [{ trace }], Option.getOrUndefined(options.traceDir))
    yield* attempt(() => checkNotInput(disk, out.value, inputs))
  }
  const { origin, ...loaded } = yield* loadJobs(trace, options)
  const anonymiser = yield* anonymiserOf(anonymise, loaded.workload.filter)
  const source = anonymiser === undefined ? origin.trace : anonymisedTrace(origin.trace, anonymiser)
  const converted = { ...loaded, origin: { ...origin, trace: source } }
  yield* write(out, force, yield* attempt(() => formatSwf(swfFromConverted(converted))), loaded.workload.jobs.length)
})

export interface GenerateOptions {
  readonly trace: string
  readonly out: Option.Option<string>
  readonly force: boolean
}

export const generateTrace = Effect.fn(function* ({ trace, out, force }: GenerateOptions) {
  const workload = yield* attempt(() => generateSynthetic(parseSynthetic(trace)))
  yield* write(out, force, formatSwf(swfFromWorkload(workload)), workload.jobs.length)
})

const write = Effect.fnUntraced(function* (out: Option.Option<string>, force: boolean, text: string, jobs: number) {
  if (Option.isNone(out) && force)
    return yield* new OptionError({ option: 'force', reason: 'needs --out FILE, the file to overwrite' })
  if (Option.isNone(out)) return (yield* Terminal).write(text)
  const { writeText } = yield* Files
  yield* attempt(() => writeText(out.value, text, force ? 'overwrite' : 'refuse')).pipe(
    Effect.mapError((error) =>
      error instanceof SystemError && error.code === 'EEXIST'
        ? new FileExistsError({ path: out.value, remedy: '--force overwrites it' })
        : error,
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
    ...(trace.load === undefined
      ? []
      : [
          [
            'load',
            `${decimal(trace.load.mean, 1)} nodes on average${trace.load.share === undefined ? '' : `, ${percent(trace.load.share)} of the machine`}; the busiest hour brings ${decimal(trace.load.max, 1)} node-hours`,
          ] as const,
        ]),
    ...(accounting?.gpuJobs === undefined ? [] : [['with GPUs', `${count(accounting.gpuJobs)} jobs`] as const]),
    ...(smaller.jobs === 0 ? [] : [['smaller than a node', describePart(smaller, trace.jobs)] as const]),
    ...(accounting?.nodeSharing === undefined
      ? []
      : [['shared nodes', describeSharing(accounting.nodeSharing)] as const]),
    ...(contradictions === undefined ? [] : [['contradictions', contradictions] as const]),
    ['sha256 of jobs', trace.sha256],
  ])
  const histograms = [
    histogram('size', trace.size, (bounds) => bounds.map((bound) => count(bound))),
    histogram('run time', trace.runTime, durations),
  ]
  return [facts, summary(trace), ...histograms, ...describeLacks(accounting)].join('\n\n')
}

function describePart({ jobs, nodeTime }: SmallerThanNode, all: number): string {
  return `${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'} (${percent(jobs / all)}), as whole nodes ${percent(nodeTime)} of node-time`
}

function describeSharing({ jobs, first }: NonNullable<AccountingFacts['nodeSharing']>): string {
  return first === undefined
    ? 'no jobs'
    : `${count(jobs)} jobs; the first: ${first.jobs.join(' and ')} on ${first.node}`
}

function describeLacks(accounting: AccountingFacts | undefined): ReadonlyArray<string> {
  if (accounting === undefined || accounting.lacks.length === 0) return []
  const { lacks, command } = accounting
  const rows = lacks.map(({ field, gives }) => [field, gives] as const)
  return [`The accounting file lacks:\n${fields(rows)}\n\nThe command for a complete file:\n${command}`]
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
