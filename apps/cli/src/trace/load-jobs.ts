import { canonicalSpec, RunFiles, Traces } from '@cloister/run'
import { Effect, Option } from 'effect'
import { runInputs } from '../run/inputs.ts'
import { remarkOnLosses } from '../run/prepare-run.ts'
import { type GivenOptions, givenSpec } from '../run/run-flags.ts'
import { NoJobLeftError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'

/** Values of the flags that select the jobs of a trace, and set the arrival times of the jobs. */
export interface WorkloadFlags extends Pick<
  GivenOptions,
  'filter' | 'procsPerNode' | 'sizes' | 'skipBadLines' | 'arrivals' | 'arrivesWhen' | 'timeZone'
> {
  readonly traceDir: Option.Option<string>
  readonly countsNodeSharing?: boolean
}

/** Loads the selected jobs of a trace, and prints a remark on the jobs that the reader left out. */
export const loadJobs = Effect.fnUntraced(function* (
  trace: string,
  { traceDir, countsNodeSharing, ...flags }: WorkloadFlags,
) {
  const loading = Effect.gen(function* () {
    const files = yield* RunFiles
    const given = { ...givenSpec(flags), trace, topology: 'radix:4', policy: 'none' }
    const spec = yield* attempt(() => canonicalSpec(given, files))
    const { filter = '', skipBadLines = false, procsPerNode, sizes, arrivals, arrivesWhen, timeZone } = spec
    return yield* (yield* Traces).load(trace, {
      filter,
      procsPerNode,
      sizes,
      arrivals,
      skipBadLines,
      ...(arrivesWhen && { arrivesWhen }),
      ...(timeZone && { timeZone }),
      ...(countsNodeSharing === true && { countsNodeSharing }),
    })
  })
  const loaded = yield* loading.pipe(Effect.provide(runInputs(Option.getOrUndefined(traceDir))))
  yield* remarkOnLosses(loaded)
  if (loaded.workload.jobs.length === 0) {
    return yield* new NoJobLeftError({ trace, read: loaded.read, filter: loaded.workload.filter })
  }
  return loaded
})
