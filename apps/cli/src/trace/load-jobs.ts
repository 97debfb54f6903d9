import { canonicalSpec, RunFiles, Traces } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/problem.ts'
import { runInputs } from '../run/inputs.ts'
import { asProblems, attemptRun } from '../run/problems.ts'
import { remarkOnLosses } from '../run/remarks.ts'
import { type GivenOptions, givenSpec } from '../run/run-flags.ts'
import { count } from '../terminal/quantities.ts'

/** Which jobs of a trace are taken, and when they arrive. */
export interface WorkloadFlags extends Pick<GivenOptions, 'filter' | 'procsPerNode' | 'arrivals'> {
  readonly traceDir: Option.Option<string>
}

/** Loads the jobs that the options name, and says on standard error which jobs of the trace were left out. */
export const loadJobs = Effect.fnUntraced(function* (trace: string, { traceDir, ...flags }: WorkloadFlags) {
  const loading = Effect.gen(function* () {
    const files = yield* RunFiles
    const given = { ...givenSpec(flags), trace, topology: 'radix:4', policy: 'none' }
    const { filter = '', procsPerNode, arrivals } = yield* attemptRun(() => canonicalSpec(given, files))
    return yield* asProblems((yield* Traces).load(trace, { filter, procsPerNode, arrivals }))
  })
  const loaded = yield* loading.pipe(Effect.provide(runInputs(Option.getOrUndefined(traceDir))))
  yield* remarkOnLosses(loaded)
  if (loaded.workload.jobs.length === 0) {
    return yield* new Problem(
      `${trace}: no job is left of ${count(loaded.read)} (filter: ${loaded.workload.filter || 'none'}); a weaker --filter would keep some`,
    )
  }
  return loaded
})
