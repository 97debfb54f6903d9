import { runTimesOfLog } from './run-times-of-log.ts'
import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy } from '@cloister/placement'
import { type RepeatedRerun, rerun, rerunWithReasons } from '@cloister/replay'
import { routesOfLog } from '@cloister/network'
import { Effect } from 'effect'
import type { RepeatedReading } from './log-reading.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { blamePolicy, routingOf } from '@cloister/run'
import { policiesOfLogs } from '../run/inputs.ts'
import { attempt } from '../errors/attempt.ts'
import { bind } from '@cloister/run'
import type { FoundPolicy, TaggedProblem } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { PolicyLookup } from '../policy/policy-lookup.ts'

/** Returns the header of a log, the first record. @throws UnreadableLogError, LogFileError */
export function headerOf(reading: { readonly records: () => Iterable<LogRecord> }): Header {
  for (const record of reading.records()) if (record.type === 'header') return record
  throw new Error('a log that has records has a header')
}

interface RepeatOptions {
  /** Largest number of requests to the policy; default: the limit of `rerun` for the log's length and the machine. */
  readonly mostQuestions?: number
}

/** Runs a log's policy again on the log's inputs. Prints a remark if the log's header has another policy version. */
export const repeatRun = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
  options: RepeatOptions = {},
) {
  const { bind, ...run } = yield* repetition(reading, header, found)
  return yield* attempt(() => blamePolicy(found, 'place', () => rerun({ ...run, ...bind(), ...options })))
})

/** Runs the policy of a log again on the log's inputs, and collects the reasons why one job does not start. */
export const repeatWithReasons = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
  job: string,
  options: RepeatOptions,
) {
  const run = { ...(yield* repetition(reading, header, found)), ...options }
  return yield* attempt(() => blamePolicy(found, 'place', () => rerunWithReasons(run, job)))
})

/** Returns the parameters of a rerun of a log. Prints a remark if the log's header has another policy version. */
export const repetition = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
): Effect.fn.Return<RepeatedRerun<unknown>, TaggedProblem, PolicyLookup> {
  const { name, version, config } = header.policy
  if (found.policy.version !== version)
    yield* remark(visibleOnOneLine(`the log is by ${name}@${version}; the rerun uses ${name}@${found.policy.version}`))
  const topology = headerTopology(header)
  // Reports an error of `bind` before the rerun reads the whole log.
  yield* bind(found, topology, config)
  const runTimes = yield* runTimesOfLog(header, topology).pipe(Effect.provide(policiesOfLogs))
  return {
    records: () => reading.records(),
    policyName: name,
    stopAfter,
    ...(runTimes && { runTimes }),
    bind: () => {
      const { policy, placer } = bindPolicy(found.policy, topology, config)
      const routing = routingOf(header.options.router, topology, { policy, placer }, sha256, routesOfLog)
      return { placer, ...(routing && { routing }) }
    },
  }
})
