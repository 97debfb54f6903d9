import { type AuditReport, auditLog } from '@cloister/audit'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { rerun, type RerunResult } from '@cloister/replay'
import { blamePolicy, record, type Run } from '@cloister/run'
import { certified } from './permutations.ts'

/**
 * Audits the log of a run. If the auditor leaves full bandwidth untested, a permutation of every allocation is routed.
 * If the auditor leaves run times or the queue order untested, the policy runs again. The report includes the audits of the earlier runs
 * whose costs have scaled the run times.
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
  const open = [...(run.runTimes === undefined ? [] : [claim]), ...(run.order === undefined ? [] : [ORDER])]
  const isOpen = report.untestedClaims.some((untested) => open.includes(untested.claim))
  const whole = isOpen && rerunOfRun(run, records).difference === undefined ? withRepeated(report, open) : report
  return run.earlier.reduce((all, earlier) => withReport(all, auditAgain(earlier)), whole)
}

/** Simulates an earlier run again, and audits its log. */
function auditAgain(run: Run): AuditReport {
  const chunks: Array<Uint8Array> = []
  record(run, (chunk) => chunks.push(chunk))
  return auditRun(run, chunks, () => {})
}

/** Returns the report of a log with the tests and the violations of a second log. */
function withReport(report: AuditReport, second: AuditReport): AuditReport {
  const known = new Set(report.untestedClaims.map(({ claim: each }) => each))
  return {
    ...report,
    ok: report.ok && second.ok,
    checked: added(report.checked, second.checked),
    violationCounts: added(report.violationCounts, second.violationCounts),
    violations: [...report.violations, ...second.violations],
    untestedClaims: [...report.untestedClaims, ...second.untestedClaims.filter((each) => !known.has(each.claim))],
  }
}

function added(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

/** Runs the policy of a run again on the records of the log of the same run. @throws PolicyFailedError */
export function rerunOfRun(
  { found, bound, order, newRouting, runTimes }: Run,
  records: () => Iterable<LogRecord>,
): RerunResult {
  const routing = newRouting()
  return blamePolicy(found, 'place', () =>
    rerun({
      records,
      placer: bound.placer,
      policyName: bound.policy.name,
      order,
      ...(routing && { routing }),
      ...(runTimes && { runTimes }),
    }),
  )
}

/** Name of the claim that run times follow `--run-times`. Only a rerun can test the claim, not the log alone. */
export const claim = 'runTimes'

/** Name of the claim that a queue order that is not built in decides the order. Only a rerun with the order tests it. */
export const ORDER = 'order'

/** Returns the report with claims as tested, after a rerun of policy and queue order without a difference. */
export function withRepeated(report: AuditReport, claims: ReadonlyArray<string>): AuditReport {
  const untestedClaims = report.untestedClaims.filter((untested) => !claims.includes(untested.claim))
  const isSound = report.status === 'whole' && report.violations.length === 0
  return { ...report, untestedClaims, ok: isSound && untestedClaims.length === 0 }
}
