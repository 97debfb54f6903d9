import { filesOf, judge, minimise as shrink, specIn } from '@cloister/fuzz'
import { attempt, Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { writeFiles } from '../export/export-files.ts'
import { checkOutputs } from '../files/outputs.ts'
import { inputFiles } from '../run/input-files.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count, counted } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { forceFlag, jsonFlag, numberFlag, type Options, textFlag } from './flags.ts'
import { commandOfFault, limitsOf, silently, tester } from './fuzz/search.ts'

const flags = {
  ...runFlags,
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
      command: 'cloister minimise --trace thunder --topology radix:18 --policy ./mine.ts --queue easy:50',
      description: 'Shrink a run with the same options as in `cloister simulate`',
    },
  ]),
)

const minimiseRun = Effect.fn(function* (given: Options<typeof flags>) {
  const { out, force, json } = given
  const folder = Option.getOrUndefined(given.traceDir)
  const spec = yield* specOfFlags(given)
  const { milliseconds } = yield* limitsOf({ runs: Option.none(), minutes: given.minutes }, Infinity)
  const disk = yield* Files
  const outputs = ['trace.swf', 'outages.ndjson'].map((name) => join(out, name))
  const inputs = outputs.flatMap((path) => inputFiles(disk, path, [spec], folder))
  yield* attempt(() => checkOutputs(disk, outputs, { force, inputs }))

  const run = yield* prepareRun(spec, folder)
  const { fault, maxPlaceMs } = yield* silently(judge(run, tester), folder)
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
  const topology = { from: spec.topology, to: least.options.topology }
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
    json,
    { fault: kept, jobs, topology, tries, minimal: isMinimal, files, reproduce },
    () => `fault: ${kept.problem}\n\n${facts}\n\nThe command that shows the fault:\n\n${reproduce}`,
  )
})

const soundRun = Effect.fnUntraced(function* (json: boolean) {
  const text =
    'The run has no fault: two simulations, the reading of the log, the fold, the audit, the metrics and a rerun were sound.'
  yield* print(json, { fault: null }, () => text)
  return yield* new ExitWith(exitCodes.no)
})
