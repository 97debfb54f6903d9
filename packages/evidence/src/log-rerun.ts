import type { AuditReport, UntestedClaim, Violation } from '@cloister/audit'
import { encodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { describePolicy } from '@cloister/kernel'
import type { Difference, RerunResult } from '@cloister/replay'
import { bind, type FoundPolicy, Hash, type TaggedProblem } from '@cloister/run'
import * as Effect from 'effect/Effect'
import { claim, ORDER, withRepeated } from './audit-run.ts'
import { type JobsMadeAgain, jobsMadeOtherwise, endsLeftOpen } from './workload-comparison.ts'

/** Report of the audit of a log, with the result of a rerun of the policy. */
export interface RepeatedReport extends AuditReport {
  readonly rerun: {
    /** Name and version of the policy that ran again, as `NAME@VERSION`. */
    readonly policy: string
    /** Number of the log's records before the first difference, or of all records; 0 if the log cannot be run again. */
    readonly compared: number
  }
}

/**
 * Adds the findings of a rerun of a log's policy to the report of the audit. Tests:
 * - the decisions in the log equal the decisions of the rerun, with the policy and the options in the log's header;
 * - if the version of the policy is that of the log, its configuration, claims and link capacity equal the header's;
 * - the submit records, the ends of jobs and the checksums in the header equal the jobs of the workload, if the jobs were
 *   made again; otherwise the claim `workload` stays untested.
 *
 * @param found policy that ran again
 * @param repeated result of the rerun, or the reason why the log cannot be run again
 * @param jobs jobs of a simulation that were made again
 */
export const withRerun: (
  report: AuditReport,
  log: { readonly header: Header; readonly records: () => Iterable<LogRecord> },
  found: FoundPolicy,
  repeated: RerunResult | string,
  jobs: JobsMadeAgain,
) => Effect.Effect<RepeatedReport, TaggedProblem, Hash> = Effect.fnUntraced(function* (
  report,
  { header, records },
  found,
  repeated,
  jobs,
) {
  const { name, version } = found.policy
  if (typeof repeated === 'string')
    return withFindings(report, `${name}@${version}`, 0, [], [{ claim: 'policy', reason: repeated }])
  const { compared, difference } = repeated
  const isSimulated = header.origin === 'simulated'
  const open = isSimulated && typeof jobs !== 'string' ? endsLeftOpen(header, jobs) : undefined
  const violations: ReadonlyArray<Violation> = [
    ...(difference === undefined ? [] : [decidedOtherwise(difference)]),
    ...ofHeader(yield* claimedOtherwise(header, found)),
    ...(isSimulated && typeof jobs !== 'string' ? jobsMadeOtherwise(header, records(), jobs, yield* Hash) : []),
  ]
  const untested: ReadonlyArray<UntestedClaim> = [
    ...(version === header.policy.version
      ? []
      : [
          {
            claim: 'policy',
            reason: `the log is by version ${header.policy.version} of the policy, and version ${version} ran again`,
          },
        ]),
    ...(open === undefined ? [] : [{ claim, reason: open }]),
    ...(isSimulated && typeof jobs === 'string' ? [{ claim: 'workload', reason: jobs }] : []),
    ...(isSimulated
      ? []
      : [{ claim: 'origin', reason: `a rerun cannot test the events of a real machine (origin: ${header.origin})` }]),
  ]
  // Run times by contention stay an untested claim, because a rerun takes the run times from the log.
  const repeatedClaims = [ORDER, ...(header.options.runTimes === 'communication' ? [claim] : [])]
  const tested = difference === undefined ? withRepeated(report, repeatedClaims) : report
  return withFindings(tested, `${name}@${version}`, compared, violations, untested)
})

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

function decidedOtherwise({ seq, recorded, repeated }: Difference): Violation {
  return {
    invariant: 'rerun',
    seq,
    ...('t' in recorded ? { t: recorded.t } : {}),
    ...('job' in recorded ? { job: recorded.job } : {}),
    message: `the policy decides differently in the rerun: ${repeated === undefined ? 'the rerun has ended before this record' : encodeRecord(repeated)}`,
  }
}

function ofHeader(messages: ReadonlyArray<string>): ReadonlyArray<Violation> {
  return messages.map((message) => ({ invariant: 'rerun', seq: 0, message }))
}

const claimedOtherwise = Effect.fnUntraced(function* (header: Header, found: FoundPolicy) {
  if (found.policy.version !== header.policy.version) return []
  const bound = yield* bind(found, headerTopology(header), header.policy.config)
  const here = describePolicy(bound)
  return (['config', 'claims', 'link_capacity'] as const)
    .filter((field) => JSON.stringify(here[field]) !== JSON.stringify(header.policy[field]))
    .map(
      (field) =>
        `the field ${field} of the policy is ${JSON.stringify(here[field]) ?? 'none'} in the rerun, ${JSON.stringify(header.policy[field]) ?? 'none'} in the log`,
    )
})
