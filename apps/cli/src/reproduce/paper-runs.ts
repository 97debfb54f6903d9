import { type LogRecord, readLog } from '@cloister/eventlog'
import { readLogFile, sha256 } from '@cloister/eventlog/node'
import { Records, Runs } from '@cloister/reproduce'
import { attempt, commandWords, describeSpec, type GivenSpec, type Run, type RunSpec, specKey } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  answers,
  auditedCell as auditRun,
  type Cell,
  type CellWorkers,
  joinResults,
  keepLog,
  logName,
  type ResultsFile,
  type SweepFolder,
} from '@cloister/sweep'
import { Context, Effect } from 'effect'
import { join } from 'node:path'
import type { FreshProcess } from '../bench/fresh-process.ts'
import { timeSimulate } from '../bench/timing.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { recordTimed } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import {
  digestsOf,
  type ExperimentOptions,
  runHere as runExperiment,
  versionsOf as policyVersions,
} from '../commands/sweep/experiment.ts'
import { refuseUnequal } from '../commands/sweep/results.ts'
import { auditFailures, failedText } from '../commands/sweep/tables.ts'
import { remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { counted } from '../terminal/quantities.ts'
import { untilSignal } from '../terminal/signals.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { canonical } from './planned-runs.ts'

/** Outcome of the runs in a call of `cloister reproduce`. */
export interface Verdict {
  /** Number of violations that the audit of each run found, by the key of the run. */
  readonly violations: Map<string, number>
  /** Number of runs with a failed audit: with violations, or with claims that no test could check. */
  failedAudits: number
  /** Number of runs without a result. */
  failedRuns: number
}

/** Returns a line about the audits of all runs; undefined if no run was audited. */
export function verdictText({ violations, failedAudits }: Verdict): string | undefined {
  if (violations.size === 0) return undefined
  const sum = [...violations.values()].reduce((all, each) => all + each, 0)
  const failed = failedAudits === 0 ? '' : `; ${counted(failedAudits, 'audit')} failed`
  return `audit: ${counted(violations.size, 'run')} audited, ${sum === 0 ? 'no violation' : counted(sum, 'violation')}${failed}`
}

/** Settings of the runs of papers' experiments. */
export interface PaperRunsOptions extends ExperimentOptions {
  /** Number of processes for each measured time. */
  readonly processes: number
  /** Value of `--reservation` for EASY in every run; undefined for the reservation of each experiment. */
  readonly reservation: GivenSpec['reservation']
}

/**
 * Returns the services `Runs` and `Records`, which run the cells of the papers' experiments, and write the results into a
 * file. Failures are printed at once, and counted in `verdict`.
 * @param shards folder with results of shards, which do not run again; undefined to run all cells
 */
export const paperRuns = Effect.fnUntraced(function* (
  results: ResultsFile,
  shards: SweepFolder | undefined,
  options: PaperRunsOptions,
  verdict: Verdict,
) {
  const services = yield* Effect.context<CellWorkers | Files | FreshProcess | PolicyLookup | Terminal>()
  const disk = yield* Files
  /** Takes the results of shards into the file of results. Returns the digests of the cells. */
  const joinShards = Effect.fnUntraced(function* (specs: ReadonlyArray<RunSpec>) {
    const cells = yield* digestsOf(specs, options.audit)
    if (shards !== undefined) yield* refuseUnequal(yield* joinResults(cells, shards, results))
    return cells
  })
  /** Prints each failed audit once, and counts the audits. */
  const report = Effect.fnUntraced(function* (runs: Parameters<typeof auditFailures>[0]) {
    const audited = runs.filter(({ cell, audit }) => audit !== null && !verdict.violations.has(specKey(cell)))
    for (const { cell, audit } of audited)
      verdict.violations.set(
        specKey(cell),
        Object.values(audit!.violations).reduce((sum, each) => sum + each, 0),
      )
    for (const failure of auditFailures(audited)) {
      yield* remark(`audit: ${failure}`)
      verdict.failedAudits++
    }
  })
  const run = Effect.fnUntraced(function* (given: ReadonlyArray<GivenSpec>) {
    const specs = yield* Effect.forEach(given, (each) => canonical(each, options))
    yield* joinShards(specs)
    const outcome = yield* runExperiment(specs, yield* policyVersions(specs), results, options)
    if (outcome.skipped.length > 0) yield* remark(failedText(outcome.skipped, specs.length))
    verdict.failedRuns += outcome.skipped.length
    yield* report(outcome.results)
    const bySpec = new Map(outcome.results.map((result) => [specKey(result.cell), result]))
    return specs.map((spec) => bySpec.get(specKey(spec)))
  })
  /** Returns the path of the kept log of a run with a result; undefined if the run must be simulated. */
  const keptLog = ({ cell, digest }: Cell): string | undefined => {
    const { keepLogs } = options
    if (keepLogs === undefined || !answers(results.get(specKey(cell)), digest)) return undefined
    const path = join(keepLogs, logName(cell))
    return disk.exists(path) ? path : undefined
  }
  /** Audits and keeps the log of a run of `watch`, unless `run` has audited and kept the log before. */
  const checkLog = Effect.fnUntraced(function* (cell: RunSpec, prepared: Run, chunks: ReadonlyArray<Uint8Array>) {
    const { audit, keepLogs } = options
    if (audit && !verdict.violations.has(specKey(cell)))
      yield* report([
        {
          cell,
          audit: results.get(specKey(cell))?.audit ?? (yield* attempt(() => auditRun(prepared, chunks, () => {}))),
        },
      ])
    if (keepLogs === undefined) return
    yield* attempt(() => {
      disk.makeFolder(keepLogs)
      if (!disk.exists(join(keepLogs, logName(cell)))) keepLog(keepLogs, cell, chunks)
    })
  })
  const watch = Effect.fnUntraced(function* (given: GivenSpec, visit: Parameters<Records['Service']['watch']>[1]) {
    const spec = yield* canonical(given, options)
    const [cell] = yield* joinShards([spec])
    const kept = keptLog(cell)
    const visitAll = (records: Iterable<LogRecord>) =>
      attempt(() => {
        for (const each of records) visit(each)
      })
    if (kept !== undefined) {
      yield* report([{ cell: spec, audit: results.get(specKey(spec))?.audit ?? null }])
      return yield* visitAll(readLogFile(kept))
    }
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
    yield* visitAll(readLog(chunks, sha256))
  })
  const time = Effect.fnUntraced(function* (given: GivenSpec) {
    const traceDir = options.traceDir === undefined ? [] : ['--trace-dir', options.traceDir]
    const spec = yield* canonical(given, options)
    const { processes } = options
    const progress = yield* makeProgress
    const { microsecondsPerJob } = yield* timeSimulate(processes, [...commandWords(spec), ...traceDir], (ended) =>
      progress.show(`timing ${describeSpec(spec)}:`, ended / processes, ended, 'processes'),
    )
    progress.clear()
    return microsecondsPerJob / 1e6
  })
  const within = Effect.provideContext(services)
  // A signal stops the threads and processes of `run` and `time`. During `watch`, one long step of computation, a
  // signal ends the program at once.
  const records = Context.make(Records, { watch: (given, visit) => within(watch(given, visit)) })
  return Context.add(records, Runs, {
    run: (given) => within(untilSignal(run(given))),
    time: (given) => within(untilSignal(time(given))),
  })
})
