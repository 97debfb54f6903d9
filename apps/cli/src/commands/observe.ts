import { commandsSource, observeSlurm, type ObserveReport, restSource, shadowPath } from '@cloister/cluster'
import { attempt, OptionError, Policies } from '@cloister/run'
import { Files } from '@cloister/run/node'
import type { Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { checkNotInput } from '../files/outputs.ts'
import { operated, operatingFlags } from '../operate/metrics-server.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { print } from '../terminal/output.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { untilSignal } from '../terminal/signals.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { checkContinuedLog, checkSeconds, clusterFlags, continuedLogFlag, withVisibleRemarks } from './cluster-flags.ts'
import { anonymiseFlag, checkAtLeast, jsonFlag, numberFlag, type Options, textFlag } from './flags.ts'

const flags = {
  out: continuedLogFlag,
  ...clusterFlags,
  interval: numberFlag('interval', 'S', 'Seconds between two queries of Slurm, default: 30').pipe(Flag.withDefault(30)),
  partition: textFlag(
    'partition',
    'NAMES',
    'Partitions to observe, separated by commas\nDefault: all partitions.',
  ).pipe(Flag.optional),
  shadow: textFlag(
    'shadow',
    'NAMES',
    'Policies to ask about every event, separated by commas\nThe answers of the policies go to FILE.shadow.ndjson, where FILE is the value of --out.',
  ).pipe(Flag.optional),
  rest: textFlag(
    'rest',
    'URL',
    'Query slurmrestd instead of the commands of Slurm\nURL is http://host:port, or unix:/path with the path of the socket of slurmrestd.',
  ).pipe(Flag.optional),
  restTokenFile: textFlag(
    'rest-token-file',
    'FILE',
    'File with a token for slurmrestd, made by scontrol token\nThe command reads the file before each query.',
  ).pipe(Flag.optional),
  restUser: textFlag('rest-user', 'NAME', 'User of the token of slurmrestd, default: the user of this process').pipe(
    Flag.optional,
  ),
  anonymise: anonymiseFlag,
  ...operatingFlags,
  json: jsonFlag,
}

const slurm = Command.make('slurm', flags, (options) => untilSignal(operated(options, observeCluster(options)))).pipe(
  Command.withDescription(
    'Write the events of a cluster under Slurm as they happen\nThe command only reads from Slurm, and changes nothing there.',
  ),
  Command.withExamples([
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson',
      description: 'Observe until a signal; after a stop the same command appends to the log',
    },
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson --shadow jigsaw,laas',
      description: 'Also record the decisions that Jigsaw and LaaS would take',
    },
  ]),
)

export const observe = Command.make('observe').pipe(
  Command.withDescription('Write the events of a real machine as they happen'),
  Command.withSubcommands([slurm]),
)

/** Provides the policies of `--shadow`, and prints each remark on one line. */
const provideServices = <A, E, R>(observing: Effect.Effect<A, E, R>) =>
  observing.pipe(
    withVisibleRemarks,
    Effect.provideServiceEffect(
      Policies,
      Effect.map(PolicyLookup, ({ find }) => ({ find })),
    ),
  )

const observeCluster = Effect.fn(function* (options: Options<typeof flags>) {
  const { out, topology: spec, interval, json } = options
  const polls = Option.getOrUndefined(options.polls)
  yield* checkSeconds('interval', interval)
  if (polls !== undefined) yield* checkAtLeast('polls', polls, 1)
  yield* checkContinuedLog(out)
  const disk = yield* Files
  const inputs = [...inputFiles(disk, out, [{ topology: spec }], undefined), ...Option.toArray(options.restTokenFile)]
  yield* attempt(() => checkNotInput(disk, out, inputs))
  const topology = yield* findTopology(spec)
  const report = yield* observeSlurm({
    topology,
    source: yield* sourceOf(options, topology),
    log: out,
    program,
    interval,
    polls,
    shadows: listOf(options.shadow),
    anonymiser: yield* anonymiserOf(options.anonymise, ''),
  })
  const log = { file: out, bytes: yield* attempt(() => disk.size(out)) }
  yield* print('observe slurm', json, { ...report, log }, () => describe(report, log))
}, provideServices)

/** Returns slurmrestd with `--rest`, else the commands of Slurm. */
const sourceOf = Effect.fnUntraced(function* (options: Options<typeof flags>, topology: Topology) {
  const { rest, restTokenFile, restUser } = options
  const partitions = listOf(options.partition)
  if (Option.isSome(rest)) {
    const [tokenFile, user] = [restTokenFile, restUser].map(Option.getOrUndefined)
    return yield* restSource({ address: rest.value, tokenFile, user }, topology, partitions)
  }
  for (const [option, value] of [
    ['rest-token-file', restTokenFile],
    ['rest-user', restUser],
  ] as const)
    if (Option.isSome(value))
      return yield* new OptionError({ option, reason: 'needs --rest, the address of slurmrestd' })
  return yield* commandsSource(topology, partitions)
})

function listOf(given: Option.Option<string>): ReadonlyArray<string> {
  return Option.toArray(given)
    .flatMap((text) => text.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

function describe(report: ObserveReport, log: { readonly file: string; readonly bytes: number }): string {
  const ifAny = (number: number, text: string): string | undefined =>
    number === 0 ? undefined : `${count(number)}${text}`
  return fields([
    ['polls', count(report.polls)],
    ['records', `${count(report.records)} added`],
    ['gaps', ifAny(report.gaps, ', times without queries')],
    ['unknown ends', ifAny(report.withoutEnd, ' jobs')],
    ['shared nodes', ifAny(report.sharedNodes, ' jobs')],
    ['unknown nodes', ifAny(report.unknownNodes, ' jobs')],
    ['shadow', ifAny(report.shadowAnswers, ` answers, ${shadowPath(log.file)}`)],
    ['log', `${log.file}, ${bytes(log.bytes)}`],
  ])
}
