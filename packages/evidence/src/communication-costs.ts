import { type AuditReport, communicationCosts, MatrixMisfitError, type Violation } from '@cloister/audit'
import type { HashFunction, LogRecord } from '@cloister/eventlog'

/** Name of an invariant in audit reports: every job with a matrix has as many nodes as the matrix has ranks. */
const INVARIANT = 'matrix-ranks'

/** Report of an audit, with the cost of communication by matrix files. */
export interface CostedReport extends AuditReport {
  /** Sums over all starts of jobs with a communication matrix. */
  readonly communication: { readonly starts: number; readonly hopBytes: number; readonly effectiveHopBytes: number }
}

/**
 * Adds the communication cost of all starts of jobs with a matrix to the report of an audit. The cost is not tested,
 * because a log has no costs. A job whose number of nodes is not the number of ranks of its matrix is a violation, and
 * ends the computation.
 * @param files contents of the matrix files, exactly the matrices in the header of the log
 */
export function withCosts(
  report: AuditReport,
  records: Iterable<LogRecord>,
  files: ReadonlyArray<Uint8Array>,
  hash: HashFunction,
): CostedReport {
  const { [INVARIANT]: _tested, ...notApplicable } = report.notApplicable
  const sums = { starts: 0, hopBytes: 0, effectiveHopBytes: 0 }
  const violations: Array<Violation> = []
  try {
    for (const { hopBytes, effectiveHopBytes } of communicationCosts(records, files, hash)) {
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
