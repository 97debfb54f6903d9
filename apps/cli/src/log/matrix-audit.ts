import { type AuditReport, communicationCosts, MatrixMisfitError, type Violation } from '@cloister/audit'
import type { LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'

/** The name that reports have for it. */
const INVARIANT = 'matrix-ranks'

/** An audit's report with what communication by matrices costs, computed from the log and the files. */
export interface CostedReport extends AuditReport {
  /** Sums over all starts of jobs that have a matrix. */
  readonly communication: { readonly starts: number; readonly hopBytes: number; readonly effectiveHopBytes: number }
}

/**
 * Computes anew what communication costs each job that names a matrix. No record has that, so that it cannot differ; a job
 * of another number of ranks than its matrix can, and ends it.
 *
 * @param files of exactly the matrices that the log names
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
