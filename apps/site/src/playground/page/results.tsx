import { embeddedIds } from '@cloister/viewer'
import { type Column, columnOf, occasional } from '../figures.ts'
import { askedRun, type DroppedFiles, type Examined, OWN_CODE, type Setup, type Simulated } from '../setup.ts'
import { addressOf, type Part, partOf } from '../viewed-part.ts'
import { askToExamine, askToSimulate } from './ask.ts'
import { withoutTypes } from './compiler.ts'

/** Table of the metrics of both runs that papers compare, and of the audits. The viewer shows all metrics. */
export function Results({ columns }: { readonly columns: readonly [Column, Column] }) {
  const names = Object.keys(columns[0].figures).filter(
    (name) => !occasional.includes(name) || columns.some(({ figures }) => figures[name] !== '0'),
  )
  return (
    <div class="results" role="region" aria-label="Results" tabIndex={0}>
      <table data-testid="results">
        <thead>
          <tr>
            <th scope="col">metric</th>
            {columns.map(({ title }) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr>
              <th scope="row">{name}</th>
              {columns.map(({ figures }) => (
                <td>{figures[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** One of the two runs of the playground, with its results. */
export interface Side {
  readonly policy: string
  readonly simulated: Simulated
  readonly examined: Examined
}

/** Both runs as the page shows them: the columns of the table, the logs, and the part that the viewer shows first. */
export interface ShownRuns {
  readonly columns: readonly [Column, Column]
  /** Both logs as base64 of gzip. */
  readonly logs: readonly [string, string]
  readonly part: Part
}

/** Simulates both runs in parallel, and audits and measures both logs. @throws ProblemError */
export async function runBoth(
  setup: Setup,
  files: DroppedFiles,
  stop: AbortController,
): Promise<readonly [Side, Side]> {
  const code = setup.policies.includes(OWN_CODE) ? await withoutTypes(setup.code ?? '') : undefined
  const side = async (at: 0 | 1): Promise<Side> => {
    const policy = setup.policies[at]
    const own = policy === OWN_CODE ? code : undefined
    const asked = askedRun(setup, at, files)
    const simulated = await askToSimulate({ kind: 'simulate', asked, code: own }, stop.signal)
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

/** Returns what the page shows of two runs. The viewer begins at the last chosen failure, if there is one. */
export function shownRuns([a, b]: readonly [Side, Side], { outages }: Setup): ShownRuns {
  const makespan = Math.max(...[a, b].map(({ examined: { metrics } }) => metrics.makespan ?? 0))
  const at = outages.at(-1)?.at
  const column = ({ policy, examined: { metrics, audit } }: Side): Column => columnOf(policy, metrics, audit)
  return {
    columns: [column(a), column(b)],
    logs: [a.examined.embedded, b.examined.embedded],
    part: partOf(a.simulated.jobs, a.examined.nodes, makespan, at),
  }
}

let viewer: Promise<string> | undefined

/** Returns the viewer's page without a log. The viewer's page is fetched only once. */
function fetchViewer(): Promise<string> {
  viewer ??= fetch('./viewer.html').then((response) => response.text())
  // After a failure of the network, a later call fetches the viewer's page again.
  viewer.catch(() => {
    viewer = undefined
  })
  return viewer
}

/** Returns the address of the viewer's page with both logs inside, as `cloister export --to html` writes a page. */
export async function viewerAddress({ logs: [a, b], part }: ShownRuns): Promise<string> {
  const [before, after] = (await fetchViewer()).split('<!--logs-->')
  const log = (id: string, embedded: string): string =>
    `<script type="application/octet-stream" id="${id}">${embedded}</script>`
  // The page at the new address resolves no relative address.
  const rest = after.replace('./pictures.js', new URL('./pictures.js', location.href).href)
  const page = new Blob([before, log(embeddedIds.a, a), log(embeddedIds.b, b), rest], { type: 'text/html' })
  const theme = document.documentElement.classList.contains('dark') ? 'dark' : 'light'
  return URL.createObjectURL(page) + addressOf(part, theme)
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
