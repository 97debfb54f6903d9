import { type Signal, signal } from '@preact/signals'
import type { Side } from '../../run/questions.ts'
import type { ColorBy } from '../drawing/colors.ts'
import type { ClockBy } from '../../words.ts'

// State of the page that the page's address names, so that a link shows the same view, and the job under the pointer.
// Times are in seconds.

export type { Side }
/** Appearances of the page. `system`: as the system's setting. */
export const themes = ['system', 'light', 'dark'] as const
/** Units of playback. */
export const paces = ['time', 'pass', 'record'] as const

/** The cursor: a time of all runs, or a record `seq` of the run `side`. */
type Cursor =
  | { readonly t: number; readonly seq?: undefined; readonly side?: undefined }
  | { readonly t: number; readonly seq: number; readonly side: Side }

export interface Span {
  readonly from: number
  readonly to: number
}

export const cursor: Signal<Cursor> = signal({ t: 0 })
/** The visible times that the user chose; undefined for all times of the runs. */
export const zoom: Signal<Span | undefined> = signal(undefined)
/** The nodes with visible rows, `to` excluded; undefined for all nodes. */
export const rows: Signal<Span | undefined> = signal(undefined)
/** The times and nodes that the user selected for the area panel; undefined for the visible times and nodes. */
export const area: Signal<{ readonly times: Span; readonly nodes: Span } | undefined> = signal(undefined)
export const selectedJob: Signal<string | undefined> = signal(undefined)
/** Ids of the pinned jobs, which stay marked if the user selects other jobs. */
export const pins: Signal<ReadonlyArray<string>> = signal([])
/** The cable with a frame in the fabric, because the user searched for it; undefined for no cable. */
export const shownLink: Signal<{ readonly level: number; readonly link: number } | undefined> = signal(undefined)
/** Names of the folded tracks; undefined for the tracks that are folded initially. A folded track has only a caption. */
export const folded: Signal<ReadonlyArray<string> | undefined> = signal(undefined)
/** Names of tracks in the order that the user chose; empty for the initial order. */
export const trackOrder: Signal<ReadonlyArray<string>> = signal([])
/** Names of the pinned tracks, which stay above all other tracks. */
export const pinnedTracks: Signal<ReadonlyArray<string>> = signal([])
/** Shares of the panes that the user resized, in percent of the page's element around the pane. */
export const panes: Signal<Panes> = signal({})
export const clockBy: Signal<ClockBy> = signal('run')
/** Id of the job under the pointer; undefined for no job. */
export const hoveredJob: Signal<string | undefined> = signal(undefined)
export const colorBy: Signal<ColorBy> = signal('job')
/** True while the views of several runs show the differences of each run to the run that it is compared with. */
export const differences: Signal<boolean> = signal(false)
/** Name of the open panel. */
export const tab: Signal<string> = signal('')
/** The only shown pod of the fabric; undefined for all pods. */
export const pod: Signal<number | undefined> = signal(undefined)
/** Letter of the active run. */
export const side: Signal<Side> = signal('a')
export const following: Signal<boolean> = signal(false)
export const theme: Signal<(typeof themes)[number]> = signal('system')
/** Unit of playback: time, scheduling passes or records. */
export const pace: Signal<(typeof paces)[number]> = signal('time')
/** Speed of playback. Pace `time`: lengths of the visible times per minute; other paces: steps per second. */
export const speed: Signal<number> = signal(2)
export const speeds: ReadonlyArray<number> = [0.25, 0.5, 1, 2, 4, 8, 16]

/** Resizable panes: `time` (views over time, at the left), `tracks` (below the jobs), `fabric` (above the panels). */
export type Pane = 'time' | 'tracks' | 'fabric'
export type Panes = Readonly<Partial<Record<Pane, number>>>
export const paneNames: ReadonlyArray<Pane> = ['time', 'tracks', 'fabric']
/** Least share of a resized pane, in percent. */
export const LEAST_PANE = 10
export const MOST_PANE = 90

/** Returns a handler that gives a signal a value. */
export function sets<Value>(of: Signal<Value>, value: Value): () => void {
  return () => {
    of.value = value
  }
}

/** Adds an item to the list of a signal, or removes the item from the list. */
export function toggle(of: Signal<ReadonlyArray<string>>, item: string): void {
  const all = of.peek()
  of.value = all.includes(item) ? all.filter((each) => each !== item) : [...all, item]
}
