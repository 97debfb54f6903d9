import { writeFileSync } from 'node:fs'
import {
  type Distribution,
  type WorkloadDescription,
  describeWorkload,
  generateSynthetic,
  parseSynthetic,
} from '@cloister/workload'
import { formatSwf, swfFromWorkload } from '@cloister/trace-io'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, print, remark } from '../terminal/output.ts'
import { attempt, Problem } from '../errors/problem.ts'
import { count, decimal, duration, percent } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { loadJobs, traceArgument, workloadFlags } from '../workload-options.ts'

const outFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('File to write; default: standard output'),
  Flag.optional,
)
const forceFlag = Flag.Boolean('force').pipe(
  Flag.withDescription('Overwrite FILE where it exists'),
  Flag.withDefault(false),
  Flag.withoutNegation,
)

const info = Command.make(
  'info',
  {
    trace: traceArgument,
    ...workloadFlags,
    nodes: Flag.Int('nodes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Nodes of a machine, to show the load as a share of it'),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  Effect.fn(function* ({ trace, nodes, json, ...options }) {
    const loaded = yield* loadJobs(trace, options)
    const description = describeWorkload(loaded.workload, Option.isSome(nodes) ? { nodes: nodes.value } : {})
    const result = {
      ...description,
      arrivals: loaded.arrivals,
      read: loaded.read,
      skipped: loaded.skipped,
      roundedSizes: loaded.roundedSizes,
    }
    yield* print(json, result, () => describe(description))
  }),
).pipe(
  Command.withDescription('Show sizes, run times and load of a trace'),
  Command.withExamples([
    { command: 'cloister trace info synth:16', description: 'The synthetic trace of mean size 16' },
  ]),
)

const convert = Command.make(
  'convert',
  { trace: traceArgument, ...workloadFlags, out: outFlag, force: forceFlag },
  Effect.fn(function* ({ trace, out, force, ...options }) {
    const { workload } = yield* loadJobs(trace, options)
    yield* write(out, force, yield* attempt(() => formatSwf(swfFromWorkload(workload))), workload.jobs.length)
  }),
).pipe(
  Command.withDescription('Write the jobs that are left after filters and arrivals as SWF, sizes in nodes'),
  Command.withExamples([
    {
      command: 'cloister trace convert log.swf --procs-per-node 4 --filter first-days=7 --out week.swf',
      description: "A log's first week",
    },
  ]),
)

const generate = Command.make(
  'generate',
  {
    trace: Argument.String('trace').pipe(
      Argument.withDescription('synth:MEAN[:COUNT[:SEED]], mean size in nodes; 10,000 jobs and seed 1 unless given'),
    ),
    out: outFlag,
    force: forceFlag,
  },
  Effect.fn(function* ({ trace, out, force }) {
    const workload = yield* attempt(() => generateSynthetic(parseSynthetic(trace)))
    yield* write(out, force, formatSwf(swfFromWorkload(workload)), workload.jobs.length)
  }),
).pipe(
  Command.withDescription(
    'Write a synthetic trace as SWF: sizes exponential, run times uniform, the same bytes on every machine',
  ),
  Command.withExamples([
    { command: 'cloister trace generate synth:16 --out synth-16.swf', description: "The Jigsaw paper's Synth-16" },
  ]),
)

export const trace = Command.make('trace').pipe(
  Command.withDescription('Look at, convert and generate job logs'),
  Command.withSubcommands([info, convert, generate]),
)

const write = Effect.fnUntraced(function* (out: Option.Option<string>, force: boolean, text: string, jobs: number) {
  if (Option.isNone(out)) return yield* Effect.sync(() => process.stdout.write(text))
  yield* attempt(() => writeFileSync(out.value, text, { flag: force ? 'w' : 'wx' })).pipe(
    Effect.mapError((problem) =>
      problem.message.endsWith('exists already') ? new Problem(`${problem.message}; --force overwrites it`) : problem,
    ),
  )
  yield* remark(`${out.value}: ${count(jobs)} jobs`)
})

function describe(trace: WorkloadDescription): string {
  const facts = fields([
    ['trace', trace.name],
    ['filter', trace.filter || 'none'],
    ['jobs', count(trace.jobs)],
    ['arrive within', duration(trace.span)],
    ['estimates', `${count(trace.estimates.known)} jobs; ${count(trace.estimates.overrun)} of them run longer`],
    ['node-hours', count(Math.round(trace.nodeHours))],
    ...(trace.load === undefined
      ? []
      : [
          [
            'load',
            `${decimal(trace.load.mean, 1)} nodes on average${trace.load.share === undefined ? '' : `, ${percent(trace.load.share)} of the machine`}; busiest hour brings ${decimal(trace.load.max, 1)} node-hours`,
          ] as const,
        ]),
    ['sha256 of jobs', trace.sha256],
  ])
  const rows = [
    ['size (nodes)', trace.size, (value: number) => count(Math.round(value * 10) / 10)] as const,
    ['run time', trace.runTime, duration] as const,
    ['walltime', trace.walltime, duration] as const,
  ].flatMap(([name, found, show]) =>
    found === undefined ? [] : [[name, show(found.min), show(found.median), show(found.mean), show(found.max)]],
  )
  const summary = table(['', 'min', 'median', 'mean', 'max'], rows)
  const histograms = [
    histogram('size', trace.size, (value) => count(value)),
    histogram('run time', trace.runTime, duration),
  ]
  return [facts, summary, ...histograms].join('\n\n')
}

const barWidth = 40

function histogram(
  name: string,
  { histogram: bins }: Distribution | undefined = { histogram: [] } as never,
  show: (bound: number) => string,
): string {
  const most = Math.max(...bins.map((bin) => bin.jobs))
  return table(
    [`${name} from`, 'to below', 'jobs', ''],
    bins.map((bin) => [
      show(bin.from),
      show(bin.to),
      count(bin.jobs),
      '#'.repeat(Math.ceil((bin.jobs / most) * barWidth)),
    ]),
  )
}
