import type { AuditReport } from '@cloister/audit'

/** Name of the claim that run times follow `--run-times`. Only a rerun can test the claim, not the log alone. */
const claim = 'runTimes'

/** Returns true if the claim on run times is untested in the report of an audit. */
export function leavesRunTimesOpen({ untestedClaims }: AuditReport): boolean {
  return untestedClaims.some((untested) => untested.claim === claim)
}

/** Returns the report with the claim on run times as tested, after a rerun of the policy without a difference. */
export function withRepeatedRunTimes(report: AuditReport): AuditReport {
  const untestedClaims = report.untestedClaims.filter((untested) => untested.claim !== claim)
  const isSound = report.status === 'whole' && report.violations.length === 0
  return { ...report, untestedClaims, ok: isSound && untestedClaims.length === 0 }
}
