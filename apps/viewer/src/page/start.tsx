import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { listenToKeys } from './controls/keys.tsx'
import { type Panel, panels, type Track, tracks } from './extensions.ts'
import { shareByAddress } from './state/address.ts'
import { embeddedAnswerer, embeddedText, remoteAnswerer, remoteSides } from './state/answerers.ts'
import { keepAnsweredQuery } from './state/asked-query.ts'
import { keepNodeTimeMeans } from './state/asking.ts'
import { revealFault } from './state/faults.ts'
import { RunClient } from './state/run-client.ts'
import { isObserved, keepMoments, runs } from './state/session.ts'
import { cursor, theme, zoom } from './state/view-state.ts'

/** Shows the logs of the server, or the logs in the page, in the page's element `page`. */
export function showPage(given: {
  readonly tracks: ReadonlyArray<Track>
  readonly panels: ReadonlyArray<Panel>
}): void {
  tracks.value = given.tracks
  panels.value = given.panels
  // The first effect sets theme and origin, because drawings need the colours for both in the style sheet.
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value
    document.documentElement.dataset['origin'] = isObserved.value ? 'observed' : ''
  })
  // `shareByAddress` writes the shown state into the page's address, so a given view is looked for before.
  const isViewGiven = [...new URLSearchParams(location.hash.slice(1)).keys()].some((field) => field !== 'theme')
  shareByAddress()
  keepMoments()
  keepNodeTimeMeans()
  keepAnsweredQuery()
  listenToKeys()
  render(<App />, document.getElementById('page')!)
  clients().then(
    (found) => {
      runs.value = found
      showExtractedPart(found[0], isViewGiven)
      if (!isViewGiven) openAtFault(found)
      for (const run of found) void run.follow()
    },
    (error: unknown) => {
      document.getElementById('page')!.textContent = `The log cannot be shown: ${(error as Error).message}`
    },
  )
}

async function clients(): Promise<ReadonlyArray<RunClient>> {
  const embedded = (['a', 'b'] as const).flatMap((side) => {
    const text = embeddedText(side)
    return text === undefined ? [] : [{ side, text }]
  })
  if (embedded.length > 0)
    return Promise.all(embedded.map(async ({ side, text }) => new RunClient(side, await embeddedAnswerer(text))))
  return (await remoteSides()).map((side) => new RunClient(side, remoteAnswerer(side)))
}

/**
 * Moves the cursor to the begin of the first log's part of a run, unless the address names a moment of the part. If
 * further logs are shown, also zooms to the times of the part, unless the address names a view.
 */
function showExtractedPart(run: RunClient | undefined, isViewGiven: boolean): void {
  const stop = effect(() => {
    const overview = run?.overview.value
    if (overview === undefined || overview.status === 'reading') return
    const { header, lastTime } = overview
    if (header.part !== undefined && header.part.from < lastTime) {
      const { from, until } = header.part
      if (runs.peek().length > 1 && !isViewGiven)
        zoom.value = { from, to: Math.max(from + 0.001, Math.min(until, lastTime)) }
      const { t, seq } = cursor.peek()
      if (seq === undefined && t < from) cursor.value = { t: from }
    }
    queueMicrotask(() => stop())
  })
}

/** Moves the cursor to the first fault of the logs after all logs are read, unless the user has moved the cursor. */
function openAtFault(all: ReadonlyArray<RunClient>): void {
  const { t: begin } = cursor.peek()
  const stop = effect(() => {
    const statuses = all.map((run) => run.overview.value?.status)
    if (statuses.some((status) => status === undefined || status === 'reading')) return
    queueMicrotask(() => {
      stop()
      const { t, seq } = cursor.peek()
      if (t === begin && seq === undefined) revealFault()
    })
  })
}
