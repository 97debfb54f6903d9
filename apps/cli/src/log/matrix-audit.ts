import { type AuditReport, communicationCosts, MatrixMisfitError, type Violation } from '@cloister/audit'
import type { LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'

/** Name of the invariant in reports. */
const INVARIANT = 'matrix-ranks'

/** Report of an audit, with the cost of communication, computed from the log and the matrix files. */
export interface CostedReport extends AuditReport {
  /** Sums over all starts of jobs with a matrix. */
  readonly communication: { readonly starts: number; readonly hopBytes: number; readonly effectiveHopBytes: number }
}

/**
 * Computes the communication cost at each start of a job with a matrix. Records hold no such costs for a comparison. A
 * job and its matrix may differ in the number of ranks. Such a job is a violation, and ends the computation.
 *
 * @param files contents of exactly the matrices named by the log
 */
export function withCosts(
  report: AuditReport,
  records: Iterable<LogRecord>,
  files: ReadonlyArray<Uint8Array>,
): CostedReport {
  const { [INVARIANT]: _tested, ...notApplicable } = report.notApplicable
  const sums = { starts: 0, hopBytes: 0, effectiveHopBytes: 0 }
  const violations: Array<Violation> = []
  try {
    for (const { hopBytes, effectiveHopBytes } of communicationCosts(records, files, sha256)) {
      sums.starts++
      sums.hopBytes += hopBytes
      sums.effectiveHopBytes += effectiveHopBytes
    }
  } catch (error) {
    if (!(error instanceof MatrixMisfitError)) throw error
    violations.push({ invariant: INVARIANT, seq: error.seq, job: error.job, message: error.message })
  }
  return {
    ...report,
    ok: report.ok && violations.length === 0,
    checked: { ...report.checked, [INVARIANT]: sums.starts + violations.length },
    notApplicable,
    violations: [...report.violations, ...violations],
    violationCounts:
      violations.length === 0 ? report.violationCounts : { ...report.violationCounts, [INVARIANT]: violations.length },
    communication: sums,
  }
}
