import { importSlurm, type ImportSlurmReport } from '@cloister/cluster'
import { LogFileError } from '@cloister/eventlog/node'
import { attempt, optionOf } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { basename } from 'node:path'
import { FileExistsError } from '../errors/errors.ts'
import { checkOutput } from '../files/outputs.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { describeSmaller } from '../run/prepare-run.ts'
import { givenSpec, workloadFlags } from '../run/run-flags.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { describeContradictions } from '../trace/contradictions.ts'
import { utcOffsetIn } from '../trace/time-zone.ts'
import { machineFlag } from './cluster-flags.ts'
import { anonymiseFlag, jsonFlag, onFlag, type Options, textFlag } from './flags.ts'

const flags = {
  jobs: textFlag(
    'jobs',
    'FILE',
    'Accounting with NodeList, from sacct -P or sacct --json\nThe file is plain, .gz or .zst.',
  ),
  events: textFlag(
    'events',
    'FILE',
    'Failures and repairs of nodes\nOutput of sacctmgr show event -P format=NodeName,TimeStart,TimeEnd,State.',
  ).pipe(Flag.optional),
  topology: machineFlag,
  shared: Flag.Literals('shared', ['refuse', 'merge', 'skip']).pipe(
    Flag.withDescription(
      'Treatment of jobs that share a node, default: refuse\nrefuse: end with an error. merge: make one job of the jobs of a group if every two jobs of the group overlap on the same nodes; end with an error for other jobs. skip: leave out the later jobs.',
    ),
    Flag.withDefault('refuse' as const),
  ),
  skipBadLines: workloadFlags.skipBadLines,
  arrivesWhen: workloadFlags.arrivesWhen,
  timeZone: workloadFlags.timeZone,
  anonymise: anonymiseFlag,
  out: textFlag('out', 'FILE', 'Event log to write, compressed if the name ends in .zst'),
  force: onFlag('force', 'Overwrite FILE if FILE exists'),
  json: jsonFlag,
}

const slurm = Command.make('slurm', flags, (options) => importHistory(options)).pipe(
  Command.withDescription('Write the history of a cluster under Slurm as an event log'),
  Command.withExamples([
    {
      command: 'cloister import slurm --jobs sacct.psv --topology slurm:topology.conf --out real.ndjson',
      description: 'Import accounting and topology',
    },
    {
      command:
        'cloister import slurm --jobs sacct.psv --topology ib:fabric.txt --events events.psv --shared merge --out real.ndjson.zst',
      description: 'Import failures of nodes, and jobs that share nodes',
    },
  ]),
)

export const importCommand = Command.make('import').pipe(
  Command.withDescription('Write the history of a real machine as an event log'),
  Command.withSubcommands([slurm]),
)

const importHistory = Effect.fn(function* (options: Options<typeof flags>) {
  const { jobs, topology: spec, shared, out, force, json } = options
  const events = Option.getOrUndefined(options.events)
  const given = givenSpec({
    skipBadLines: options.skipBadLines,
    arrivesWhen: options.arrivesWhen,
    timeZone: options.timeZone,
  })
  const disk = yield* Files
  const read = [jobs, ...Option.toArray(options.events), ...inputFiles(disk, out, [{ topology: spec }], undefined)]
  yield* attempt(() => checkOutput(disk, out, { force, inputs: read }))
  const topology = yield* findTopology(spec)
  const anonymiser = yield* anonymiserOf(options.anonymise, '')
  const progress = yield* makeProgress
  let rows = 0
  const onRow = (): void => progress.show(`reading ${basename(jobs)}:`, Number.NaN, ++rows, 'rows')
  const report = yield* attempt(() =>
    importSlurm({
      topology,
      jobs,
      events,
      sharing: shared,
      skipBadLines: given.skipBadLines === true,
      arrivesWhen: given.arrivesWhen === 'submit' ? 'submit' : 'eligible',
      utcOffset: utcOffsetIn(String(given.timeZone ?? optionOf('timeZone').byDefault)),
      anonymiser,
      log: out,
      force,
      program,
      onRow,
    }),
  ).pipe(
    Effect.catchIf(
      (error) => error instanceof LogFileError && error.reason === 'exists',
      () => new FileExistsError({ path: out, remedy: '--force overwrites it' }),
    ),
  )
  progress.clear()
  for (const text of remarksOn(report)) yield* remark(visibleOnOneLine(text))
  const log = { file: out, bytes: yield* attempt(() => disk.size(out)) }
  yield* print('import slurm', json, { ...report, unknownNode: report.unknownNode ?? null, log }, () =>
    describe(report, log),
  )
})

function remarksOn(report: ImportSlurmReport): ReadonlyArray<string> {
  const { leftOut, unknownNode, shared, startsOnDown, unknownEvents, badLines, steps, smallerThanNode } = report
  const contradictions = describeContradictions(report.contradictions)
  const lost = Object.entries(leftOut).map(([why, runs]) => `${count(runs)} ${why}`)
  const ifAny = (number: number, text: string): ReadonlyArray<string> =>
    number === 0 ? [] : [`${count(number)} ${text}`]
  return [
    ...ifAny(badLines, 'lines without a valid job left out'),
    ...ifAny(steps, 'job steps left out'),
    ...(contradictions === undefined ? [] : [`${contradictions}; the import uses Start, End and NodeList unchanged`]),
    ...(lost.length === 0
      ? []
      : [
          `runs of jobs left out: ${lost.join(', ')}${unknownNode === undefined ? '' : ` (such as node ${unknownNode})`}`,
        ]),
    ...(shared.first === undefined
      ? []
      : [
          `${count(shared.runs)} runs of jobs shared nodes; ${count(shared.left)} of these runs are in the log, and ${count(shared.runs - shared.left)} are left out or joined with others; the first: ${shared.first}`,
        ]),
    ...describeSmaller(smallerThanNode),
    ...ifAny(startsOnDown, 'starts of jobs on nodes that are down in --events; the log has these nodes as up'),
    ...ifAny(unknownEvents, 'events in --events of nodes that the machine does not have'),
  ]
}

function describe(report: ImportSlurmReport, log: { readonly file: string; readonly bytes: number }): string {
  const facts = fields([
    ['rows', count(report.rows)],
    ['jobs', count(report.jobs)],
    ['runs', `${count(report.started)} started, ${count(report.finished)} finished, ${count(report.killed)} killed`],
    ['log', `${log.file}, ${bytes(log.bytes)}`],
  ])
  return `${facts}\n\ncloister view ${log.file} shows the log, cloister simulate --trace ${log.file} --topology … --policy … simulates another policy on the same jobs.`
}
