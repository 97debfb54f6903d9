import type { JobsOfAll, Metrics } from '@cloister/metrics'
import { embeddedIds } from '@cloister/viewer'
import { type DroppedFile, type Examined, OWN_CODE, type Setup, type Simulated, specOf } from '../setup.ts'
import { askToExamine, askToSimulate } from './ask.ts'

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

/** One of the two runs of the playground, with its results. */
export interface Side {
  readonly policy: string
  readonly simulated: Simulated
  readonly examined: Examined
}

/** Simulates both runs in parallel, and audits and measures both logs. @throws ProblemError */
export async function runBoth(
  setup: Setup,
  file: DroppedFile | undefined,
  stop: AbortController,
): Promise<readonly [Side, Side]> {
  const code = setup.policies.includes(OWN_CODE) ? await javascriptOf(setup.code ?? '') : undefined
  const side = async (at: 0 | 1): Promise<Side> => {
    const policy = setup.policies[at]
    const own = policy === OWN_CODE ? code : undefined
    const asked = { spec: specOf(setup, at), file }
    const simulated = await askToSimulate({ kind: 'simulate', ...asked, code: own }, stop.signal)
    // A user's code may post any log as its result, so the log is compared with the requested run.
    const unknown = own === undefined ? undefined : asked
    return { policy, simulated, examined: await askToExamine(simulated.log, unknown, stop.signal) }
  }
  try {
    return await Promise.all([side(0), side(1)])
  } finally {
    // After a failed run the page shows no results, and the second run would go on in vain.
    stop.abort()
  }
}

async function javascriptOf(code: string): Promise<string> {
  const { withoutTypes } = await import('./without-types.ts')
  return withoutTypes(code)
}

let viewer: Promise<string> | undefined

/** Returns the viewer's page without a log. The viewer's page is fetched only once. */
export function fetchViewer(): Promise<string> {
  viewer ??= fetch('./viewer.html').then((response) => response.text())
  // After a failure of the network, a later call fetches the viewer's page again.
  viewer.catch(() => {
    viewer = undefined
  })
  return viewer
}

/** Returns the viewer's page with both logs inside, as `cloister export --to html` writes a page with one log. */
export async function viewerPage([a, b]: readonly [Side, Side]): Promise<Blob> {
  const [before, after] = (await fetchViewer()).split('<!--logs-->')
  const log = (id: string, { examined }: Side): string =>
    `<script type="application/octet-stream" id="${id}">${examined.embedded}</script>`
  return new Blob([before, log(embeddedIds.a, a), log(embeddedIds.b, b), after], { type: 'text/html' })
}

/** Resolves when the viewer in a frame has read both logs, or when the frame is removed. */
export async function isDrawn(frame: HTMLIFrameElement): Promise<void> {
  const isRead = (side: string): boolean => {
    const status = frame.contentDocument?.querySelector(`[data-testid=status-${side}]`)
    return status !== null && status !== undefined && !status.classList.contains('reading')
  }
  while (frame.isConnected && !(isRead('a') && isRead('b'))) await new Promise((next) => setTimeout(next, 20))
  await new Promise((next) => requestAnimationFrame(next))
}
