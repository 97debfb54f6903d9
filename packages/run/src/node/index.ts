import { statSync } from 'node:fs'
import { type Context, createContext, Script } from 'node:vm'
import { BrokenChunksError, describeOutcome } from '@cloister/eventlog'
import { openLogFile, readLogFile, sha256 } from '@cloister/eventlog/node'
import type { TimeLimit } from '@cloister/kernel'
import { fixedOffset, publicLog, TraceError, traceName, type UtcOffset, workloadFromSwf } from '@cloister/trace-io'
import { loadTrace } from '@cloister/trace-io/node'
import { parseArrivals, parseFilter, SpecError, withProcsPerNode, withSizes } from '@cloister/workload'
import * as Layer from 'effect/Layer'
import { attemptLater } from '../errors.ts'
import { givenPolicies, loadOptions } from '../plain-services.ts'
import { recordedJobs } from '../recorded-jobs.ts'
import {
  type AnyPolicy,
  Hash,
  type LoadedTrace,
  Policies,
  RunFiles,
  StopAfter,
  type TraceOptions,
  Traces,
} from '../services.ts'
import { readProblem, readText } from './files.ts'
import { parseYaml } from './parse-yaml.ts'
import { withDeadline } from './programs/time-limit.ts'

export { givenPolicies } from '../plain-services.ts'
export { parseYaml } from './parse-yaml.ts'
export { Files, fileSystem, readText } from './files.ts'
export { ProgramError, type ProgramFault } from './programs/channel.ts'
export { EXEC } from './programs/conversation.ts'
export { type ProgramOrder, programOrder } from './programs/program-order.ts'
export { Program } from './programs/program.ts'
export { limitAnswers } from './programs/time-limit.ts'
export { createFile, type Existing, type NewFile } from './new-file.ts'
export { withPath } from './system-errors.ts'

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
        attemptLater(async () =>
          publicLog(trace) === undefined && isLogFile(trace)
            ? loadRecorded(trace, options)
            : await loadTrace(trace, { folders: traceFolders, ...loadOptions(options, clocks) }),
        ),
    }),
    Layer.succeed(Hash, sha256),
    Layer.succeed(StopAfter, stopAfter),
  )
}

/** Provides all services of a run under Node. `traceFolders`: folders with the logs of presets. */
export function nodeServices(given: {
  readonly policies: ReadonlyArray<AnyPolicy>
  readonly traceFolders?: ReadonlyArray<string>
}): Layer.Layer<RunFiles | Traces | Policies | Hash> {
  return Layer.merge(nodeInputs(given.traceFolders), givenPolicies(given.policies))
}

const BEGINNING = '{"seq":0,"type":"header","format":"cloister-log"'

/** Recognises an event log by its first bytes. @throws FileError or LogFileError if the file cannot be read */
function isLogFile(path: string): boolean {
  try {
    // A pipe gives its bytes only once, so this function reads no bytes of a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    for (const chunk of openLogFile(path))
      return Buffer.from(chunk).toString('latin1', 0, BEGINNING.length) === BEGINNING
  } catch (error) {
    if (!(error instanceof BrokenChunksError)) throw readProblem(path, error)
  }
  return false
}

/** Returns the jobs of a log that the filter keeps, as a workload. @throws TraceError if the log is corrupt */
function loadRecorded(path: string, { filter, procsPerNode, sizes, arrivals, columns }: TraceOptions): LoadedTrace {
  if (columns !== undefined)
    throw new SpecError('columns', columns, 'no columns: only a trace that is a table in CSV or Parquet has columns')
  const { trace, machine } = recordedJobs(soundRecords(path), path)
  const converted = workloadFromSwf(trace, {
    filter: withSizes(withProcsPerNode(parseFilter(filter), procsPerNode), sizes),
    arrivals: parseArrivals(arrivals ?? 'trace'),
    name: traceName(path),
  })
  return { ...converted, machine }
}

function* soundRecords(path: string): ReturnType<typeof readLogFile> {
  const outcome = yield* readLogFile(path)
  if (outcome.status === 'corrupt')
    throw new TraceError({ file: path, found: describeOutcome(outcome), expected: 'a log that is not damaged' })
  return outcome
}

const asking = new Script('ask()')

/**
 * Returns a function that calls a policy with a time limit, which costs about 0.1 ms a request. The limit stops even an
 * endless loop, because the JavaScript engine ends a script together with all functions that the script called. If the
 * process had the processor for less than half of the time, the machine was slow, or the process was stopped
 * (SIGSTOP): the policy is then asked once more.
 */
export function stopAfter(milliseconds: number): TimeLimit {
  const scope: { ask?: () => void } = createContext({})
  return {
    milliseconds,
    call: <Answer>(question: () => Answer) => {
      const ended: { answered?: { readonly answer: Answer }; threw?: { readonly thrown: unknown } } = {}
      const before = process.cpuUsage()
      scope.ask = () => {
        try {
          ended.answered = { answer: question() }
        } catch (thrown) {
          ended.threw = { thrown }
        }
      }
      withDeadline(milliseconds, () => askInTime(scope, milliseconds))
      if (ended.answered === undefined && ended.threw === undefined) {
        const { user, system } = process.cpuUsage(before)
        if ((user + system) / 1000 < milliseconds / 2) withDeadline(milliseconds, () => askInTime(scope, milliseconds))
      }
      if (ended.threw !== undefined) throw ended.threw.thrown
      return ended.answered
    },
  }
}

function askInTime(scope: Context, milliseconds: number): void {
  try {
    asking.runInContext(scope, { timeout: milliseconds })
  } catch {
    // The policy was stopped. No code of the policy runs any more, not even its `catch`.
  }
}
