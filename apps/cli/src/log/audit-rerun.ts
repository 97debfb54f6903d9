import type { AuditReport, UntestedClaim, Violation } from '@cloister/audit'
import { encodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { describePolicy } from '@cloister/kernel'
import type { NotSimulatedError } from '@cloister/replay'
import { bind, type FoundPolicy, OptionError, Traces } from '@cloister/run'
import { Effect, Option } from 'effect'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { runInputs } from '../run/inputs.ts'
import { attempt } from '../errors/attempt.ts'
import { type RepeatedReading } from './log-reading.ts'
import { withRepeatedRunTimes } from './repeated-run-times.ts'
import { headerOf, repeatRun } from './repetition.ts'

/** Report of an audit, with the result of a rerun. */
export interface RepeatedReport extends AuditReport {
  readonly rerun: {
    /** Name and version of the rerun's policy. */
    readonly policy: string
    /** Number of records with equal decisions in the rerun. */
    readonly compared: number
  }
}

/**
 * Tests properties that a log alone cannot show:
 * - the decisions in the log equal the decisions of the header's policy under the header's options;
 * - the policy's configuration, claims and link capacity on this machine equal the header's;
 * - a synthetic workload has the header's checksum.
 */
export const withRerun = Effect.fnUntraced(function* (
  report: AuditReport,
  reading: RepeatedReading,
  policy: Option.Option<string>,
  asked: { readonly mostQuestions?: number },
) {
  const policies = yield* PolicyLookup
  const header = yield* attempt(() => headerOf(reading))
  const found = yield* Option.match(policy, {
    onNone: () => policies.findOfLog(header.policy.name),
    onSome: policies.find,
  })
  const { name, version } = found.policy
  if (name !== header.policy.name)
    return yield* new OptionError({
      option: 'policy',
      reason: `found ${name}, expected ${header.policy.name}, the policy of the log`,
    })
  const repeated = yield* repeatRun(reading, header, found, asked).pipe(
    Effect.catchIf(isNotSimulated, ({ message }) => Effect.succeed(message)),
  )
  if (typeof repeated === 'string')
    return withFindings(report, `${name}@${version}`, 0, [], [{ claim: 'policy', reason: repeated }])
  const { compared, difference } = repeated
  const workload = yield* madeOtherwise(header)
  const violations: ReadonlyArray<Violation> = [
    ...(difference === undefined ? [] : [decidedOtherwise(difference)]),
    ...ofHeader([...(yield* claimedOtherwise(header, found)), ...workload.violations]),
  ]
  const untested: ReadonlyArray<UntestedClaim> = [
    ...(version === header.policy.version
      ? []
      : [{ claim: 'policy', reason: `the log is by version ${header.policy.version}; what ran here is ${version}` }]),
    ...(header.origin === 'simulated'
      ? []
      : [{ claim: 'origin', reason: `nothing here shows what a real machine did (origin: ${header.origin})` }]),
    ...workload.untested,
  ]
  // Contention has no influence on decisions in a rerun.
  const isRepeated = difference === undefined && header.options.runTimes === 'communication'
  const timed = isRepeated ? withRepeatedRunTimes(report) : report
  return withFindings(timed, `${name}@${version}`, compared, violations, untested)
})

function isNotSimulated(error: { readonly _tag: string }): error is NotSimulatedError {
  return error._tag === 'NotSimulatedError'
}

function withFindings(
  report: AuditReport,
  policy: string,
  compared: number,
  found: ReadonlyArray<Violation>,
  untested: ReadonlyArray<UntestedClaim>,
): RepeatedReport {
  const violations = [...report.violations, ...found]
  const untestedClaims = [...report.untestedClaims, ...untested]
  return {
    ...report,
    ok: report.ok && violations.length === 0 && untestedClaims.length === 0,
    checked: { ...report.checked, rerun: compared },
    violations,
    untestedClaims,
    violationCounts: found.length === 0 ? report.violationCounts : { ...report.violationCounts, rerun: found.length },
    rerun: { policy, compared },
  }
}

function decidedOtherwise({
  seq,
  recorded,
  repeated,
}: {
  readonly seq: number
  readonly recorded: LogRecord
  readonly repeated: LogRecord | undefined
}): Violation {
  return {
    invariant: 'rerun',
    seq,
    ...('t' in recorded ? { t: recorded.t } : {}),
    ...('job' in recorded ? { job: recorded.job } : {}),
    message: `the policy decides otherwise: ${repeated === undefined ? 'the run has ended' : encodeRecord(repeated)}`,
  }
}

function ofHeader(messages: ReadonlyArray<string>): ReadonlyArray<Violation> {
  return messages.map((message) => ({ invariant: 'rerun', seq: 0, message }))
}

/**
 * Binds the policy to the log's machine and config, and compares config, claims and link capacity with the header.
 * Returns a message for each field that differs. Returns no message if the header names another version of the policy.
 */
const claimedOtherwise = Effect.fnUntraced(function* (header: Header, found: FoundPolicy) {
  if (found.policy.version !== header.policy.version) return []
  const bound = yield* bind(found, headerTopology(header), header.policy.config)
  const here = describePolicy(bound)
  return (['config', 'claims', 'link_capacity'] as const)
    .filter((field) => JSON.stringify(here[field]) !== JSON.stringify(header.policy[field]))
    .map(
      (field) =>
        `the policy's ${field} is ${JSON.stringify(here[field]) ?? 'none'} here, ${JSON.stringify(header.policy[field]) ?? 'none'} in the log`,
    )
})

/**
 * Generates a synthetic workload again, and compares the checksum with the header. Returns a message if the checksums
 * differ, and the reason if the jobs cannot be made again. Returns empty lists for other workloads.
 */
const madeOtherwise = Effect.fnUntraced(function* ({
  workload: { name, filter, sha256 },
  options: { arrivals },
}: Header) {
  if (!name.startsWith('synth:')) return { violations: [], untested: [] }
  const { workload } = yield* Effect.provide(
    Effect.flatMap(Traces, ({ load }) =>
      load(name, { filter, procsPerNode: undefined, arrivals, skipBadLines: false }),
    ),
    runInputs(undefined),
  )
  const isSame = workload.sha256 === sha256
  return {
    violations: isSame ? [] : [`the jobs of ${name} have the checksum ${workload.sha256}, not ${sha256}`],
    untested: [],
  }
})
