import { faultyRun, filesOf, judge, minimise as shrink, prepareSmall, specIn } from '@cloister/fuzz'
import { attempt, flagOf, optionOf, type RunOptionName, runOptionNames } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { writeFiles } from '../export/export-files.ts'
import { checkOutputs } from '../files/outputs.ts'
import { RepeatedReading, headerOf } from '../log/log-reading.ts'
import { findPolicyOfLog, orderOfLog, routerOfLog } from '../log/repetition.ts'
import { inputFiles } from '../run/input-files.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { flagsBesideLog, runFlags, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count, counted } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { forceFlag, jsonFlag, numberFlag, type Options, textFlag } from './flags.ts'
import { commandOfFault, limitsOf, silently, tester } from './fuzz/search.ts'

const flags = {
  log: Argument.String('log').pipe(
    Argument.withDescription(
      'Event log that ends with a fault of the policy\nWithout a log, --trace, --topology and --policy describe the run.',
    ),
    Argument.optional,
  ),
  ...runFlags,
  ...flagsBesideLog,
  traceDir: traceDirFlag,
  out: textFlag(
    'out',
    'DIR',
    'Folder for the smallest run, default: minimised\nThe folder gets trace.swf, and outages.ndjson if the fault needs outages.',
  ).pipe(Flag.withDefault('minimised')),
  minutes: numberFlag('minutes', 'M', 'Stop after M minutes, and write the smallest run found so far').pipe(
    Flag.optional,
  ),
  force: forceFlag,
  json: jsonFlag,
}

export const minimise = Command.make('minimise', flags, (options) => minimiseRun(options)).pipe(
  Command.withDescription(
    'Shrink a faulty run to a small run with the same fault\nFaults: the policy throws, the auditor finds a violation, or a rerun of the policy decides differently from the log.\nThe command shrinks the number of options, the number of jobs, the machine, and the sizes and times of jobs.',
  ),
  Command.withExamples([
    {
      command: 'cloister minimise run.ndjson --policy ./mine.ts',
      description: 'Shrink the run of a log that ends with a fault',
    },
    {
      command: 'cloister minimise --trace thunder --topology radix:18 --policy ./mine.ts --queue easy:50',
      description: 'Shrink a run with the same options as in `cloister simulate`',
    },
  ]),
)

const minimiseRun = Effect.fn(function* (given: Options<typeof flags>) {
  const { out, force, json } = given
  const folder = Option.getOrUndefined(given.traceDir)
  const log = Option.getOrUndefined(given.log)
  const ofLog = log === undefined ? undefined : yield* faultOfLog(log, given)
  const spec = yield* ofLog === undefined ? specOfFlags(given) : Effect.succeed({ trace: log!, ...ofLog.from })
  const { milliseconds } = yield* limitsOf({ runs: Option.none(), minutes: given.minutes }, Infinity)
  const disk = yield* Files
  const outputs = ['trace.swf', 'outages.ndjson'].map((name) => join(out, name))
  const inputs = outputs.flatMap((path) => inputFiles(disk, path, [spec], folder))
  yield* attempt(() => checkOutputs(disk, outputs, { force, inputs }))

  const run = yield* ofLog === undefined
    ? prepareRun(spec, folder)
    : silently(prepareSmall(ofLog.run, out, disk), folder)
  const { fault, maxPlaceMs } = yield* silently(judge(run, tester), folder)
  if (ofLog !== undefined) yield* checkSameFault(log!, ofLog.fault.message, fault?.problem)
  if (fault === undefined) return yield* soundRun(json)
  const progress = yield* makeProgress
  const onTry = (tries: number, jobs: number): void =>
    progress.show(`minimising, ${counted(jobs, 'job')} left:`, Number.NaN, tries, 'runs')
  const search = shrink(run, { fault, maxPlaceMs }, { milliseconds, folder: out, tester, onTry })
  const { least, ...found } = yield* silently(search, folder)
  progress.clear()
  const files = yield* attempt(() => writeFiles(disk, filesOf(least), out, { force, inputs }))
  const reproduce = commandOfFault(yield* attempt(() => specIn(least, out, disk)), found.fault, out)
  const { fault: kept, tries, isMinimal } = found
  const jobs = { from: run.workload.jobs.length, to: least.jobs.length }
  const topology = { from: run.spec.topology, to: least.options.topology }
  const facts = fields([
    ['jobs', `${count(jobs.to)} of ${count(jobs.from)}`],
    ['machine', topology.from === topology.to ? topology.to : `${topology.to} instead of ${topology.from}`],
    [
      'search',
      isMinimal
        ? `${count(tries)} runs; after the removal of any single job the fault is gone`
        : `${count(tries)} runs, ended by --minutes; a smaller faulty run may exist`,
    ],
  ])
  yield* print(
    'minimise',
    json,
    { fault: kept, jobs, topology, tries, minimal: isMinimal, files, reproduce },
    () => `fault: ${kept.problem}\n\n${facts}\n\nThe command that shows the fault:\n\n${reproduce}`,
  )
})

/** Reads a log that ends with a fault. Of the options of a run, the user may give policy, router, queue order and machine. */
const faultOfLog = Effect.fnUntraced(function* (log: string, given: Options<typeof flags>) {
  const also = runOptionNames.find((name) => !besideLog.has(name) && isGiven(name, given[name]))
  if (also !== undefined)
    return yield* new Problem(`--${flagOf(also)} cannot be used with a log: ${log} has the options of the run`)
  const reading = new RepeatedReading(log, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  const policy = given.policy as Option.Option<string>
  yield* findPolicyOfLog(header, policy)
  const router = given.router as Option.Option<string>
  yield* routerOfLog(header, router)
  const order = given.order as Option.Option<string>
  yield* orderOfLog(header, order)
  const machine = Option.getOrElse(given.topology, () => header.topology.name) as string
  if (Option.isNone(given.topology) && /^(slurm|ib):|@/.test(machine))
    return yield* new Problem(`${log}: the machine comes from a file (${machine}); --topology names the file`)
  const from = {
    policy: Option.getOrElse(policy, () => header.policy.name),
    topology: machine,
    ...(Option.isSome(router) && { router: router.value }),
    ...(Option.isSome(order) && { order: order.value }),
  }
  const found = yield* attempt(() => faultyRun(reading.records(), from))
  if (found !== undefined) return { from, ...found }
  return yield* new Problem(
    `${log}: the log has no fault record, expected the log of a run that a fault of the policy ended; if cloister audit ${log} finds a violation, cloister minimise takes the options of the run instead of the log`,
  )
})

/** Checks that the run of a log still ends with the fault of the log. */
const checkSameFault = Effect.fnUntraced(function* (log: string, message: string, problem: string | undefined) {
  if (problem?.includes(message) === true) return
  const now = problem === undefined ? 'has no fault' : `ends with another fault: ${problem}`
  return yield* new Problem(
    `${log}: the log ends with the fault "${message}", and the run of its jobs now ${now}; cloister rerun ${log} shows where the policy decides differently`,
  )
})

const besideLog: ReadonlySet<RunOptionName> = new Set(['policy', 'router', 'order', 'topology'])

/** Returns true if the user gave the option. A switch that is not given has the value false. */
function isGiven(name: RunOptionName, value: Option.Option<unknown>): boolean {
  return Option.isSome(value) && !(optionOf(name).kind === 'switch' && value.value === false)
}

const soundRun = Effect.fnUntraced(function* (json: boolean) {
  const text =
    'The run has no fault: two simulations, the reading of the log, the fold, the audit, the metrics and a rerun were sound.'
  yield* print('minimise', json, { fault: null }, () => text)
  return yield* new ExitWith(exitCodes.no)
})
