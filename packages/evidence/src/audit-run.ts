import { type AuditReport, auditLog } from '@cloister/audit'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { rerun, type RerunResult } from '@cloister/replay'
import { blamePolicy, routingOf, type Run } from '@cloister/run'
import { certified } from './permutations.ts'

/**
 * Audits the log of a run. If the auditor leaves full bandwidth untested, a permutation of every allocation is routed.
 * If the auditor leaves run times untested, the policy runs again.
 *
 * @param chunks bytes of the log
 * @param onRecord receives each record of the log
 * @throws PolicyFailedError if the policy fails in the rerun
 */
export function auditRun(
  run: Run,
  chunks: ReadonlyArray<Uint8Array>,
  onRecord: (record: LogRecord) => void,
): AuditReport {
  const records = (): Iterable<LogRecord> => readLog(chunks, run.hash)
  const report = certified(auditLog(chunks, run.hash, { onRecord }), records)
  const isRepeated =
    run.runTimes !== undefined && leavesRunTimesOpen(report) && rerunOfRun(run, records).difference === undefined
  return isRepeated ? withRepeatedRunTimes(report) : report
}

/** Runs the policy of a run again on the records of the log of the same run. @throws PolicyFailedError */
export function rerunOfRun(
  { topology, found, bound, options, runTimes }: Run,
  records: () => Iterable<LogRecord>,
): RerunResult {
  const routing = routingOf(options.router, topology, bound)
  return blamePolicy(found, 'place', () =>
    rerun({
      records,
      placer: bound.placer,
      policyName: bound.policy.name,
      ...(routing && { routing }),
      ...(runTimes && { runTimes }),
    }),
  )
}

/** Name of the claim that run times follow `--run-times`. Only a rerun can test the claim, not the log alone. */
export const claim = 'runTimes'

/** Returns true if the claim on run times is untested in the report of an audit. */
function leavesRunTimesOpen({ untestedClaims }: AuditReport): boolean {
  return untestedClaims.some((untested) => untested.claim === claim)
}

/** Returns the report with the claim on run times as tested, after a rerun of the policy without a difference. */
export function withRepeatedRunTimes(report: AuditReport): AuditReport {
  const untestedClaims = report.untestedClaims.filter((untested) => untested.claim !== claim)
  const isSound = report.status === 'whole' && report.violations.length === 0
  return { ...report, untestedClaims, ok: isSound && untestedClaims.length === 0 }
}
