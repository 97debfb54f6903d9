import type { JobsOfAll, Metrics } from '@cloister/metrics'
import { OWN_CODE } from '../setup.ts'
import type { Side } from './run-both.ts'

/** Table of both runs' metrics that papers compare, and of their audits. The viewer shows all metrics. */
export function Results({ sides }: { readonly sides: readonly [Side, Side] }) {
  const rows: ReadonlyArray<readonly [string, (side: Side) => string]> = [
    ...notPlaced.filter(([, jobsOf]) => sides.some((side) => jobsOf(side).jobs > 0)).map(notPlacedRow),
    ['jobs finished', ({ examined: { metrics } }) => metrics.jobs.finished.toLocaleString('en')],
    ['utilization, steady state', ({ examined: { metrics } }) => percent(metrics.utilization.steady)],
    ['makespan', ({ examined: { metrics } }) => duration(metrics.makespan)],
    ['mean turnaround', ({ examined: { metrics } }) => duration(metrics.turnaround.mean)],
    ['mean wait', ({ examined: { metrics } }) => duration(metrics.wait.mean)],
    ['audit', auditOf],
  ]
  return (
    <div class="results" role="region" aria-label="Results" tabIndex={0}>
      <table data-testid="results">
        <thead>
          <tr>
            <th scope="col">metric</th>
            {sides.map(({ policy, examined: { metrics } }) => (
              <th scope="col">{policy === OWN_CODE ? `own code: ${metrics.policy}` : metrics.policy}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr>
              <th scope="row">{name}</th>
              {sides.map((side) => (
                <td>{of(side)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Rows for jobs that were never placed, which the other rows do not count. */
const notPlaced: ReadonlyArray<readonly [label: string, jobsOf: (side: Side) => JobsOfAll]> = [
  ['jobs rejected', ({ examined: { metrics } }) => metrics.notPlaced.rejected],
  ['jobs that wait for ever', ({ examined: { metrics } }) => metrics.notPlaced.waiting],
]

function notPlacedRow([label, jobsOf]: (typeof notPlaced)[number]): readonly [string, (side: Side) => string] {
  const text = (side: Side): string => {
    const { jobs, share, nodeTime } = jobsOf(side)
    return `${jobs.toLocaleString('en')} (${percent(share)}${nodeTime === null ? '' : `, ${percent(nodeTime)} of node-time`})`
  }
  return [label, text]
}

function auditOf({ examined: { audit } }: Side): string {
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
  return seconds < 600
    ? `${seconds.toFixed(0)} s`
    : seconds < 36_000
      ? `${(seconds / 60).toFixed(1)} min`
      : `${(seconds / 3600).toFixed(2)} h`
}
