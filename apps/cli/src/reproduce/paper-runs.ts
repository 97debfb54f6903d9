import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Runs } from '@cloister/reproduce'
import {
  canonicalSpec,
  commandWords,
  describeSpec,
  type GivenSpec,
  type Run,
  type RunSpec,
  specKey,
} from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { auditedCell as auditRun, type CellWorkers, keepLog, logName, type ResultsFile } from '@cloister/sweep'
import { Effect } from 'effect'
import { join } from 'node:path'
import type { FreshProcess } from '../bench/fresh-process.ts'
import { timeSimulate } from '../bench/timing.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { runFiles } from '../run/inputs.ts'
import { recordTimed } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import {
  type ExperimentOptions,
  runHere as runExperiment,
  versionsOf as policyVersions,
} from '../commands/sweep/experiment.ts'
import { auditFailures, failedText } from '../commands/sweep/tables.ts'
import { remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { untilSignal } from '../terminal/signals.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Numbers of runs with a failed audit and of runs without a result, in a call of `cloister reproduce`. */
export interface Faults {
  audits: number
  runs: number
}

/**
 * Returns the service that runs the cells of the papers' experiments, and writes the results into a file. Failures are
 * printed at once, and counted in `faults`.
 * @param reservation value of `--reservation` for EASY in every run, undefined for the reservation of each experiment
 */
export const paperRuns = Effect.fnUntraced(function* (
  results: ResultsFile,
  options: ExperimentOptions,
  processes: number,
  faults: Faults,
  reservation: GivenSpec['reservation'],
) {
  const services = yield* Effect.context<CellWorkers | Files | FreshProcess | PolicyLookup | Terminal>()
  const disk = yield* Files
  const canonical = (given: GivenSpec) =>
    attempt(() => canonicalSpec(reservation === undefined ? given : { ...given, reservation }, runFiles))
  const report = Effect.fnUntraced(function* (audited: Parameters<typeof auditFailures>[0]) {
    for (const failure of auditFailures(audited)) {
      yield* remark(`audit: ${failure}`)
      faults.audits++
    }
  })
  const run = Effect.fnUntraced(function* (given: ReadonlyArray<GivenSpec>) {
    const specs = yield* Effect.forEach(given, canonical)
    const outcome = yield* runExperiment(specs, yield* policyVersions(specs), results, options)
    if (outcome.skipped.length > 0) yield* remark(failedText(outcome.skipped, specs.length))
    faults.runs += outcome.skipped.length
    yield* report(outcome.results)
    const bySpec = new Map(outcome.results.map((result) => [specKey(result.cell), result]))
    return specs.map((spec) => bySpec.get(specKey(spec)))
  })
  /** Audits and keeps the log of a run of `watch`, unless `run` has audited and kept the log before. */
  const checkLog = Effect.fnUntraced(function* (cell: RunSpec, prepared: Run, chunks: ReadonlyArray<Uint8Array>) {
    const { audit, keepLogs } = options
    if (audit && (results.get(specKey(cell))?.audit ?? null) === null)
      yield* report([{ cell, audit: yield* attempt(() => auditRun(prepared, chunks, () => {})) }])
    if (keepLogs === undefined) return
    yield* attempt(() => {
      disk.makeFolder(keepLogs)
      if (!disk.exists(join(keepLogs, logName(cell)))) keepLog(keepLogs, cell, chunks)
    })
  })
  const watch = Effect.fnUntraced(function* (given: GivenSpec, visit: Parameters<Runs['Service']['watch']>[1]) {
    const spec = yield* canonical(given)
    const prepared = yield* prepareRun(spec, options.traceDir)
    const progress = yield* makeProgress
    const chunks: Array<Uint8Array> = []
    const label = `${describeSpec(spec)}:`
    yield* attempt(() => {
      recordTimed(prepared, (chunk) => chunks.push(chunk), {
        onProgress: (ended, jobs) => progress.show(label, ended / jobs, ended, 'jobs'),
      })
      progress.clear()
    })
    yield* checkLog(spec, prepared, chunks)
    yield* attempt(() => {
      for (const each of readLog(chunks, sha256)) visit(each)
    })
  })
  const time = Effect.fnUntraced(function* (given: GivenSpec) {
    const traceDir = options.traceDir === undefined ? [] : ['--trace-dir', options.traceDir]
    const words = [...commandWords(yield* canonical(given)), ...traceDir]
    const { microsecondsPerJob } = yield* timeSimulate(processes, words)
    return microsecondsPerJob / 1e6
  })
  const within = Effect.provideContext(services)
  // A signal stops the threads and processes of `run` and `time`. During `watch`, one long step of computation, a
  // signal ends the program at once.
  const made: Runs['Service'] = {
    run: (given) => within(untilSignal(run(given))),
    watch: (given, visit) => within(watch(given, visit)),
    time: (given) => within(untilSignal(time(given))),
  }
  return made
})
