// The figures of a run that the playground shows in a table, as texts.
import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import { OWN_CODE } from './setup.ts'

/** Column of the table of results: the policy of a run, and the texts of the run's figures by name. */
export interface Column {
  readonly title: string
  readonly figures: Readonly<Record<string, string>>
}

/** Returns the column of a run. @param policy policy of the set-up, `OWN_CODE` for the code in the page */
export function columnOf(policy: string, metrics: Metrics, audit: AuditReport): Column {
  return {
    title: policy === OWN_CODE ? `own code: ${metrics.policy}` : metrics.policy,
    figures: {
      'jobs rejected': jobsText(metrics.notPlaced.rejected),
      'jobs that wait for ever': jobsText(metrics.notPlaced.waiting),
      'jobs finished': metrics.jobs.finished.toLocaleString('en'),
      utilization: percent(metrics.utilization.steady),
      'mean wait': duration(metrics.wait.mean),
      makespan: duration(metrics.makespan),
      audit: auditText(audit),
    },
  }
}

/** Figures that the table omits if they are zero in both runs. */
export const occasional: ReadonlyArray<string> = ['jobs rejected', 'jobs that wait for ever']

function jobsText({ jobs, share, nodeTime }: Metrics['notPlaced']['rejected']): string {
  if (jobs === 0) return '0'
  return `${jobs.toLocaleString('en')} (${percent(share)}${nodeTime === null ? '' : `, ${percent(nodeTime)} of node-time`})`
}

function auditText(audit: AuditReport): string {
  const tests = Object.values(audit.checked).reduce((sum, count) => sum + count, 0)
  if (audit.ok) return `ok, ${tests.toLocaleString('en')} tests`
  const [first] = audit.violations
  if (first !== undefined) return `record ${first.seq}: ${first.message}`
  return audit.untestedClaims.length > 0 ? 'no violation, but a claim was never tested' : `the log is ${audit.status}`
}

const percent = (share: Metrics['utilization']['steady']): string =>
  share === null ? 'none' : `${(share * 100).toFixed(2)} %`

function duration(seconds: number | null): string {
  if (seconds === null) return 'none'
  if (seconds < 600) return `${seconds.toFixed(0)} s`
  return seconds < 36_000 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(2)} h`
}
