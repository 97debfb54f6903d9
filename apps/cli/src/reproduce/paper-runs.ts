import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Runs } from '@cloister/reproduce'
import { canonicalSpec, commandWords, describeSpec, type GivenSpec, RunFiles, specKey } from '@cloister/run'
import { Effect } from 'effect'
import type { FreshProcess } from '../bench/fresh-process.ts'
import { timeSimulate } from '../bench/time-simulate.ts'
import { Files } from '../files/files.ts'
import { attempt } from '../errors/attempt.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { runInputs } from '../run/inputs.ts'
import { recordTimed } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import type { CellWorkers } from '../sweep/cell-workers.ts'
import type { ResultsFile } from '../sweep/results-file.ts'
import { type ExperimentOptions, policyVersions, runExperiment } from '../sweep/run-experiment.ts'
import { auditFailures } from '../sweep/sweep-table.ts'
import { remark } from '../terminal/output.ts'
import { makeProgress, share } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'

/**
 * Runs the papers' experiments: results go into a file; what an audit finds in one of them is said, and added to `failures`.
 *
 * @param reservation of the head under EASY, where it shall be another than a paper's
 */
export const paperRuns = Effect.fnUntraced(function* (
  results: ResultsFile,
  options: ExperimentOptions,
  processes: number,
  failures: Array<string>,
  reservation: GivenSpec['reservation'],
) {
  const services = yield* Effect.context<CellWorkers | Files | FreshProcess | PolicyLookup | Terminal>()
  const files = yield* Effect.provide(RunFiles, runInputs(undefined))
  const canonical = (given: GivenSpec) =>
    attempt(() => canonicalSpec(reservation === undefined ? given : { ...given, reservation }, files))
  const run = Effect.fnUntraced(function* (given: ReadonlyArray<GivenSpec>) {
    const specs = yield* Effect.forEach(given, canonical)
    const outcome = yield* runExperiment(specs, yield* policyVersions(specs), results, options)
    for (const failure of auditFailures(outcome.results, describeSpec)) {
      yield* remark(`audit: ${failure}`)
      failures.push(failure)
    }
    const bySpec = new Map(outcome.results.map((result) => [specKey(result.cell), result]))
    return specs.map((spec) => bySpec.get(specKey(spec)))
  })
  const watch = Effect.fnUntraced(function* (given: GivenSpec, visit: Parameters<Runs['Service']['watch']>[1]) {
    const spec = yield* canonical(given)
    const prepared = yield* prepareRun(spec, options.traceDir)
    const progress = yield* makeProgress
    yield* attempt(() => {
      const chunks: Array<Uint8Array> = []
      recordTimed(prepared, (chunk) => chunks.push(chunk), {
        onProgress: (ended, jobs) => progress.show(() => share(`${describeSpec(spec)}:`, ended, jobs)),
      })
      progress.clear()
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
  const made: Runs['Service'] = {
    run: (given) => within(run(given)),
    watch: (given, visit) => within(watch(given, visit)),
    time: (given) => within(time(given)),
  }
  return made
})
