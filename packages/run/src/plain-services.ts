import type { HashFunction } from '@cloister/eventlog'
import { fixedOffset, type LoadOptions, type UtcOffset } from '@cloister/trace-io'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import { FileError, isTagged, OptionError } from './errors.ts'
import { type AnyPolicy, Hash, type LoadedTrace, Policies, RunFiles, type TraceOptions, Traces } from './services.ts'

/** Inputs of a run as plain values and functions. A function may throw an error with a `_tag`, for people. */
export interface PlainServices {
  readonly policies: ReadonlyArray<AnyPolicy>
  /** SHA-256, such as `() => sha256.create()` of `@noble/hashes` in a browser. */
  readonly hash: HashFunction
  /** Returns the jobs of a trace, such as `loadWorkloadFrom` of `@cloister/trace-io`, or a promise of the jobs. */
  readonly loadJobs: (trace: string, options: TraceOptions) => LoadedTrace | Promise<LoadedTrace>
  /** Returns the text of a small file of the run, such as the outages. Default: no file can be read. */
  readonly readText?: (path: string) => string
}

/** Provides the services of a run in any program, such as a web page. The services of Node are `nodeServices`. */
export function plainServices({
  policies,
  hash,
  loadJobs,
  readText = noFile,
}: PlainServices): Layer.Layer<RunFiles | Traces | Policies | Hash> {
  return Layer.mergeAll(
    Layer.succeed(RunFiles, { readText }),
    Layer.succeed(Traces, {
      load: (trace, options) =>
        Effect.tryPromise({ try: async () => loadJobs(trace, options), catch: (error) => error }).pipe(
          Effect.catch((error) => (isTagged(error) ? Effect.fail(error) : Effect.die(error))),
        ),
    }),
    givenPolicies(policies),
    Layer.succeed(Hash, hash),
  )
}

/** Provides the policies of a list by their names. */
export function givenPolicies(policies: ReadonlyArray<AnyPolicy>): Layer.Layer<Policies> {
  const known = policies.map(({ name }) => name).join(', ')
  return Layer.succeed(Policies, {
    find: (name) => {
      const policy = policies.find((each) => each.name === name)
      if (policy !== undefined) return Effect.succeed({ policy, origin: name })
      const reason = `found ${JSON.stringify(name)}, expected one of the policies that were given: ${known || 'none'}`
      return Effect.fail(new OptionError({ option: 'policy', reason }))
    },
  })
}

/**
 * Returns the options that a run gives for its trace, as options of `loadWorkloadFrom`.
 *
 * @param clocks returns the UTC offset of a time zone by name; the default knows UTC and offsets such as `+02:00`
 */
export function loadOptions(
  { procsPerNode, sizes, arrivals, timeZone, ...options }: TraceOptions,
  clocks: (zone: string) => UtcOffset = fixedOffset,
): LoadOptions {
  return {
    ...options,
    ...(procsPerNode === undefined ? {} : { procsPerNode }),
    ...(sizes === undefined ? {} : { sizes }),
    ...(arrivals === undefined ? {} : { arrivals }),
    ...(timeZone === undefined ? {} : { utcOffset: clocks(timeZone) }),
  }
}

function noFile(path: string): never {
  throw new FileError({ path, reason: 'the program gives the run no files' })
}
