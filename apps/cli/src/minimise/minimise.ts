import { join } from 'node:path'
import type { Run } from '@cloister/run'
import { Console, Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { FaultLostError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { writeFiles } from '../export/export-files.ts'
import { Files } from '../files/files.ts'
import { checkOutputs } from '../files/outputs.ts'
import { commandOfFault } from '../fuzz/command-of-fault.ts'
import type { Fault } from '../fuzz/fuzz-check.ts'
import { limitsOf } from '../fuzz/limits.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { inputFiles } from '../run/input-files.ts'
import { runInputs } from '../run/inputs.ts'
import { prepareRun } from '../run/prepare-run.ts'
import type { GivenOptions } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { smallest } from './search.ts'
import { shrinks } from './shrinks.ts'
import { filesOf, ownRun, type SmallRun, specIn } from './small-run.ts'
import { judge, Trial } from './trial.ts'

export interface MinimiseOptions extends GivenOptions {
  readonly traceDir: Option.Option<string>
  readonly minutes: Option.Option<number>
  readonly out: string
  readonly force: boolean
  readonly json: boolean
}

/** Runs `cloister minimise`: shrinks a faulty run while the same fault persists, and writes the smallest run. */
export const minimiseRun = Effect.fn(function* (given: MinimiseOptions) {
  const { out, force, json } = given
  const folder = Option.getOrUndefined(given.traceDir)
  const spec = yield* specOfFlags(given).pipe(Effect.provide(runInputs(folder)))
  const { milliseconds } = yield* limitsOf({ runs: Option.none(), minutes: given.minutes }, Infinity)
  const disk = yield* Files
  const outputs = ['trace.swf', 'outages.ndjson'].map((name) => join(out, name))
  const inputs = outputs.flatMap((path) => inputFiles(disk, path, [spec], folder))
  yield* attempt(() => checkOutputs(disk, outputs, { force, inputs }))

  const run = yield* prepareRun(spec, folder)
  const { fault, maxPlaceMs } = yield* judged(run, folder)
  if (fault === undefined) return yield* soundRun(json)
  const from = ownRun(run)
  const first = maxPlaceMs === undefined ? from : { ...from, options: { ...from.options, maxPlaceMs } }
  const { least, trial } = yield* search(first, fault, performance.now() + milliseconds, out)
  const files = yield* attempt(() => writeFiles(disk, filesOf(least), out, { force, inputs }))
  const command = commandOfFault(yield* attempt(() => specIn(least, out, disk)), trial.fault, out)
  const result = {
    fault: trial.fault,
    jobs: { from: run.workload.jobs.length, to: least.jobs.length },
    topology: { from: spec.topology, to: least.options.topology },
    tries: trial.tries,
    /** True if the search is complete: after the removal of any single job, the fault is gone. */
    minimal: !trial.isOver,
    files,
    reproduce: command,
  }
  yield* print(json, result, () => describe(result))
})

const soundRun = Effect.fnUntraced(function* (json: boolean) {
  const text =
    'The run has no fault: two simulations, the reading of the log, the fold, the audit, the metrics and a rerun were sound.'
  yield* print(json, { fault: null }, () => text)
  return yield* new ExitWith(exitCodes.no)
})

const judged = Effect.fnUntraced(function* (run: Run, traceDir: string | undefined) {
  const context = yield* Effect.context<PolicyLookup>()
  const quiet: Console.Console = { ...console, error: () => {}, log: () => {} }
  const watched = (maxPlaceMs: number): Promise<Run> =>
    Effect.runPromise(
      prepareRun({ ...run.spec, maxPlaceMs }, traceDir).pipe(
        Effect.provideService(Console.Console, quiet),
        Effect.provideContext(context),
      ),
    )
  return yield* Effect.promise(() => judge(run, watched))
})

const search = Effect.fnUntraced(function* (first: SmallRun, fault: Fault, until: number, out: string) {
  const progress = yield* makeProgress
  const trial = new Trial(fault, until, out, yield* Files, yield* Effect.context<PolicyLookup>())
  const isWrong = async (run: SmallRun): Promise<boolean> => {
    progress.show(() => `minimising: ${count(trial.tries)} runs tried, ${count(run.jobs.length)} jobs`)
    return trial.isWrong(run)
  }
  if (!(yield* Effect.promise(() => trial.isAtFault(first))))
    return yield* new FaultLostError({ problem: fault.problem })
  const least = yield* Effect.promise(() => smallest(first, shrinks, isWrong))
  progress.clear()
  return { least, trial }
})

interface Minimised {
  readonly fault: Fault
  readonly jobs: { readonly from: number; readonly to: number }
  readonly topology: { readonly from: string; readonly to: string }
  readonly tries: number
  readonly minimal: boolean
  readonly reproduce: string
}

function describe({ fault, jobs, topology, tries, minimal, reproduce }: Minimised): string {
  const found = fields([
    ['jobs', `${count(jobs.to)} of ${count(jobs.from)}`],
    ['machine', topology.from === topology.to ? topology.to : `${topology.to} instead of ${topology.from}`],
    [
      'search',
      minimal
        ? `${count(tries)} runs; after the removal of any single job the fault is gone`
        : `${count(tries)} runs, ended by --minutes; a smaller faulty run may exist`,
    ],
  ])
  return `fault: ${fault.problem}\n\n${found}\n\nThe command that shows the fault:\n\n${reproduce}`
}
