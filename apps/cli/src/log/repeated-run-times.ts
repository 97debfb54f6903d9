import type { AuditReport } from '@cloister/audit'

/** The claim of run times by communication, which a log alone gives no way to test. */
const claim = 'run_times'

/** Whether a report leaves the claim open that a job's time follows its communication. */
export function leavesRunTimesOpen({ untestedClaims }: AuditReport): boolean {
  return untestedClaims.some((untested) => untested.claim === claim)
}

/** Returns the report without that claim: all starts were decided again, each with the estimate of its allocation. */
export function withRepeatedRunTimes(report: AuditReport): AuditReport {
  const untestedClaims = report.untestedClaims.filter((untested) => untested.claim !== claim)
  const isSound = report.status === 'whole' && report.violations.length === 0
  return { ...report, untestedClaims, ok: isSound && untestedClaims.length === 0 }
}
