import { embeddedIds } from '@cloister/viewer'
import type { Side } from './run-both.ts'

let viewer: Promise<string> | undefined

/** The viewer's page, without a log; fetched once. */
export function fetchViewer(): Promise<string> {
  viewer ??= fetch('./viewer.html').then((response) => response.text())
  // Somebody without network may try again.
  viewer.catch(() => {
    viewer = undefined
  })
  return viewer
}

/** The page of `cloister view`, with both logs inside: what `cloister export --to html` writes of one. */
export async function viewerPage([a, b]: readonly [Side, Side]): Promise<Blob> {
  const [before, after] = (await fetchViewer()).split('<!--logs-->')
  const log = (id: string, { examined }: Side): string =>
    `<script type="application/octet-stream" id="${id}">${examined.embedded}</script>`
  return new Blob([before, log(embeddedIds.a, a), log(embeddedIds.b, b), after], { type: 'text/html' })
}

/** Resolves once a frame shows both logs, read to their ends. */
export async function isDrawn(frame: HTMLIFrameElement): Promise<void> {
  const isRead = (side: string): boolean => {
    const status = frame.contentDocument?.querySelector(`[data-testid=status-${side}]`)
    return status !== null && status !== undefined && !status.classList.contains('reading')
  }
  while (frame.isConnected && !(isRead('a') && isRead('b'))) await new Promise((next) => setTimeout(next, 20))
  await new Promise((next) => requestAnimationFrame(next))
}
