import { sha256 } from '@cloister/eventlog/node'
import { fixedOffset, type LoadOptions, publicLog, type UtcOffset } from '@cloister/trace-io'
import { loadWorkload } from '@cloister/trace-io/node'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import { attempt as attemptTagged, OptionError } from '../errors.ts'
import { type AnyPolicy, Hash, Policies, RunFiles, StopAfter, type TraceOptions, Traces } from '../services.ts'
import { isLogFile, loadRecorded } from './load-recorded.ts'
import { parseYaml } from './parse-yaml.ts'
import { readText } from './read-text.ts'
import { stopAfter } from './stop-after.ts'

export { parseYaml } from './parse-yaml.ts'
export { readText } from './read-text.ts'
export { stopAfter } from './stop-after.ts'
export { Files, fileSystem } from './files.ts'
export { createFile, type Existing, type NewFile } from './new-file.ts'
export { attempt, SystemError, withPath } from './system-errors.ts'

/**
 * Provides the services of a run under Node, except policies: files, traces, SHA-256, and time limits for policies.
 *
 * @param traceFolders folders with the logs of presets
 * @param clocks returns the UTC offset of a time zone by name; the default knows UTC and offsets such as `+02:00`
 */
export function nodeInputs(
  traceFolders: ReadonlyArray<string> = [],
  clocks: (zone: string) => UtcOffset = fixedOffset,
): Layer.Layer<RunFiles | Traces | Hash> {
  return Layer.mergeAll(
    Layer.succeed(RunFiles, { readText, parseYaml }),
    Layer.succeed(Traces, {
      load: (trace, options) =>
        attemptTagged(() =>
          publicLog(trace) === undefined && isLogFile(trace)
            ? loadRecorded(trace, options)
            : loadWorkload(trace, { folders: traceFolders, ...given(options, clocks) }),
        ),
    }),
    Layer.succeed(Hash, sha256),
    Layer.succeed(StopAfter, stopAfter),
  )
}

function given(
  { procsPerNode, sizes, arrivals, timeZone, ...options }: TraceOptions,
  clocks: (zone: string) => UtcOffset,
): LoadOptions {
  return {
    ...options,
    ...(procsPerNode === undefined ? {} : { procsPerNode }),
    ...(sizes === undefined ? {} : { sizes }),
    ...(arrivals === undefined ? {} : { arrivals }),
    ...(timeZone === undefined ? {} : { utcOffset: clocks(timeZone) }),
  }
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

/** Provides all services of a run under Node. `traceFolders`: folders with the logs of presets. */
export function nodeServices(given: {
  readonly policies: ReadonlyArray<AnyPolicy>
  readonly traceFolders?: ReadonlyArray<string>
}): Layer.Layer<RunFiles | Traces | Policies | Hash> {
  return Layer.merge(nodeInputs(given.traceFolders), givenPolicies(given.policies))
}
