import { embeddedIds } from '@cloister/viewer'
import type { Side } from './run-both.ts'

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
