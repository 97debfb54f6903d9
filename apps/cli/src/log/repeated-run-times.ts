import type { AuditReport } from '@cloister/audit'

/** Claim of run times by communication. A log alone gives no way to test the claim. */
const claim = 'runTimes'

/** Returns true if a report leaves the claim open that run times follow communication. */
export function leavesRunTimesOpen({ untestedClaims }: AuditReport): boolean {
  return untestedClaims.some((untested) => untested.claim === claim)
}

/** Returns the report without the claim on run times, after a rerun with the estimates of the allocations. */
export function withRepeatedRunTimes(report: AuditReport): AuditReport {
  const untestedClaims = report.untestedClaims.filter((untested) => untested.claim !== claim)
  const isSound = report.status === 'whole' && report.violations.length === 0
  return { ...report, untestedClaims, ok: isSound && untestedClaims.length === 0 }
}
