import { describeOutcome, type LogOutcome } from '@cloister/eventlog'
import { isStream } from '@cloister/eventlog/node'
import { formatDiscipline } from '@cloister/kernel'
import { attempt, headerWithoutChecksum, type Run } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { mapJobs } from '@cloister/workload'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { checkNotInput } from '../files/outputs.ts'
import { assumptionRows, assumptionsOf } from '../log/assumptions.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { type LogTarget, program, type RunReport, simulateTo } from '../run/log-target.ts'
import { notPlacedOfRun, notPlacedRows, whyUnusable } from '../run/not-placed.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { print, remark } from '../terminal/output.ts'
import { bytes, count, counted, decimal } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { Terminal } from '../terminal/terminal.ts'
import {
  anonymiseFlag,
  checkAtLeast,
  integerFlag,
  jsonFlag,
  onFlag,
  type Options,
  refuseIf,
  textFlag,
} from './flags.ts'

const flags = {
  ...runFlags,
  traceDir: traceDirFlag,
  out: textFlag(
    'out',
    'FILE',
    'Event log to write, compressed if the name ends in .zst\nWithout --out the run writes no log.',
  ).pipe(Flag.optional),
  force: onFlag('force', 'Overwrite FILE if FILE exists'),
  resume: onFlag(
    'resume',
    'Complete FILE, the interrupted log of this run\nThe command compares the records of FILE with the run, and appends the missing records.',
  ),
  sync: Flag.Literals('sync', ['record', 'seal', 'end', 'none']).pipe(
    Flag.withDescription(
      'Moment at which FILE is flushed to the disk, default: end\nrecord: after each record, for programs that act on each record. seal: after each seal. end: once, after the last record. none: whenever the operating system does.',
    ),
    Flag.optional,
  ),
  anonymise: anonymiseFlag,
  // For `cloister bench`: the figures of the first round include the compilation of the program's code.
  rounds: integerFlag('rounds', 'N', 'Repeat the simulation N times in one process, to time compiled code').pipe(
    Flag.withDefault(1),
    Flag.withHidden,
  ),
  json: jsonFlag,
}

export const simulate = Command.make('simulate', flags, (options) => simulateFlags(options)).pipe(
  Command.withDescription('Simulate a policy on a trace, and log every decision'),
  Command.withExamples([
    {
      command: 'cloister simulate --trace synth:16 --topology radix:16 --policy jigsaw --out run.ndjson.zst',
      description: 'Place 10,000 synthetic jobs on 1024 nodes',
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson',
      description: 'Place the jobs of LLNL Thunder',
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson --resume',
      description: 'Complete the log after a kill',
    },
  ]),
)

const simulateFlags = Effect.fn(function* (given: Options<typeof flags>) {
  const { json, traceDir, rounds } = given
  yield* checkAtLeast('rounds', rounds, 1)
  yield* refuseIf(rounds > 1 && given.resume, '--rounds and --resume exclude each other: each round writes a whole log')
  const target = yield* logTarget(given)
  yield* refuseIf(
    rounds > 1 && target !== undefined && isStream(target.path),
    `--rounds: ${target?.path} is a pipe or a device, and would get a log for each round; name a file`,
  )
  const folder = Option.getOrUndefined(traceDir)
  const spec = yield* specOfFlags(given)
  const disk = yield* Files
  if (target !== undefined)
    yield* attempt(() => checkNotInput(disk, target.path, inputFiles(disk, target.path, [spec], folder)))
  const run = yield* anonymised(yield* prepareRun(spec, folder), given.anonymise)
  const report = yield* simulateTo(run, target)
  const log = target === undefined ? null : { file: target.path, bytes: yield* attempt(() => disk.size(target.path)) }
  if (report.continued !== undefined) yield* remark(describeContinued(target!.path, report.continued))
  const result = { ...summary(run, report, log), ...(yield* laterRounds(run, target, rounds)) }
  const unusable = whyUnusable(run, report)
  // If the log goes to standard output, the result of the command goes to standard error.
  if (target !== undefined && (yield* Terminal).isOutput(target.path))
    yield* remark(json ? JSON.stringify(result, null, 2) : describe(result, whyRequested(run)))
  else yield* print('simulate', json, result, () => describe(result, whyRequested(run)))
  for (const reason of unusable) yield* remark(reason)
  if (unusable.length > 0) return yield* new ExitWith(exitCodes.no)
})

/** Repeats the simulation, and returns the mean time per job of the rounds from the second on. */
const laterRounds = Effect.fnUntraced(function* (run: Run, target: LogTarget | undefined, rounds: number) {
  if (rounds === 1) return {}
  let seconds = 0
  for (let round = 1; round < rounds; round++)
    seconds += (yield* simulateTo(run, target && { ...target, existing: 'overwrite' })).seconds
  /** Mean time of the simulation per job in µs, over the rounds from the second on. */
  return { warmMicrosecondsPerJob: (seconds * 1e6) / (rounds - 1) / run.workload.jobs.length }
})

/** With a salt, replaces users, accounts and names of all jobs by digests, without an effect on policy and figures. */
const anonymised = Effect.fnUntraced(function* (run: Run, salt: Option.Option<string>) {
  const anonymiser = yield* anonymiserOf(salt, run.workload.filter)
  if (anonymiser === undefined) return run
  return { ...run, workload: { ...run.workload, jobs: mapJobs(run.workload.jobs, (job) => anonymiser.labels(job)) } }
})

const logTarget = Effect.fnUntraced(function* ({ out, force, resume, sync }: Options<typeof flags>) {
  yield* refuseIf(
    force && resume,
    '--force and --resume exclude each other: --force overwrites a log, --resume completes a log; give one of the two options',
  )
  const hasNone = Option.isNone(out)
  yield* refuseIf(resume && hasNone, '--resume: needs --out FILE, the log to complete')
  yield* refuseIf(force && hasNone, '--force: needs --out FILE, the log to overwrite')
  yield* refuseIf(Option.isSome(sync) && hasNone, '--sync: needs --out FILE, the log to flush to the disk')
  if (hasNone) return undefined
  const existing = force ? 'overwrite' : resume ? 'continue' : 'refuse'
  const target: LogTarget = { path: out.value, existing, sync: Option.getOrElse(sync, () => 'end' as const) }
  return target
})

function describeContinued(path: string, found: LogOutcome): string {
  switch (found.status) {
    case 'whole':
      return `${path} was already the complete log of this run; no record was added`
    case 'torn':
      return found.records === 0
        ? `${path} had no whole record; the log was written from the start`
        : `${path} was ${describeOutcome(found)}; the missing records were added`
    default:
      return `${path} was ${describeOutcome(found)}; the missing records were added`
  }
}

function summary(run: Run, report: RunReport, log: { readonly file: string; readonly bytes: number } | null) {
  const { workload, applied, source, options } = run
  const { totals, seconds, searchBounds, continued } = report
  return {
    /** Counts of the jobs that never started: rejected jobs, and jobs that still wait at the end of the run. */
    notPlaced: notPlacedOfRun(run, report),
    policy: `${run.bound.policy.name}@${run.bound.policy.version}`,
    topology: run.topology.name,
    workload: {
      name: workload.name,
      filter: workload.filter,
      jobs: workload.jobs.length,
      sha256: workload.sha256,
      arrivals: applied.arrivals,
      withoutWalltime: source.withoutWalltime,
      smallerThanNode: source.smallerThanNode,
      differingSizes: source.differingSizes,
    },
    queue: formatDiscipline(options.queue),
    assumptions: assumptionsOf(headerWithoutChecksum(run, program), run.topology),
    jobs: totals,
    log,
    /** State of the log before `--resume`. */
    ...(continued === undefined
      ? {}
      : { resumed: { status: continued.status, records: continued.records, bytes: continued.bytes } }),
    /** Time of the simulation in seconds, including the writing of the log. */
    seconds,
    searchBounds,
    microsecondsPerJob: (seconds * 1e6) / workload.jobs.length,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  }
}

function whyRequested({ options, applied, source }: Run): string {
  if (options.estimates !== undefined || applied.estimates === 'exact') return ''
  const jobs = source.workload.jobs.length
  return `, because jobs arrive as in the trace and ${count(jobs - source.withoutWalltime)} of ${count(jobs)} have a walltime`
}

function describe(result: ReturnType<typeof summary>, why: string): string {
  const { jobs, log } = result
  const ends = [
    `${count(jobs.started)} started`,
    `${count(jobs.finished)} finished`,
    ...(jobs.rejected === 0 ? [] : [`${count(jobs.rejected)} rejected`]),
    ...(jobs.killed === 0 ? [] : [counted(jobs.killed, 'kill')]),
  ]
  const facts = fields([
    ...notPlacedRows(result.notPlaced, jobs.submitted),
    ['policy', result.policy],
    ...assumptionRows([result.assumptions]).map(
      ([label, [value]]) => [label, label === 'estimates' ? `${value}${why}` : value] as const,
    ),
    ['jobs', ends.join(', ')],
    ['scheduling', `${decimal(result.seconds, 2)} s, ${decimal(result.microsecondsPerJob, 1)} µs a job`],
    ...(result.searchBounds === 0
      ? []
      : [['given up', `${count(result.searchBounds)} searches of the policy, at the limit of steps`] as const]),
    ['log', log === null ? 'none' : `${log.file}, ${bytes(log.bytes)}`],
  ])
  return `${facts}\n\n${log === null ? 'No log was written: --out FILE writes the event log, for cloister metrics.' : `cloister metrics ${log.file} measures the log, cloister audit ${log.file} checks the log.`}`
}
