import { isJobNumber, isJobText, type JobField, type JobNumber } from '@cloister/metrics'
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type Side, sides } from '../../run/sides.ts'
import type { ColorBy } from '../drawing/colors.ts'
import type { ClockBy } from '../navigation/moments.ts'

/**
 * Names of the panels. This module has the state that the page's address names, so that a link shows the same view, and
 * the job under the pointer. Times are in seconds.
 */
export type Tab = 'queue' | 'fits' | 'jobs' | 'job' | 'area' | 'record' | 'compare' | 'figures' | 'notes'
export type { Side }
export type Theme = 'system' | 'light' | 'dark'
export type Pace = 'time' | 'pass' | 'record'

/** The cursor: a time of all runs, or a record `seq` of the run `side`. */
export type Cursor =
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
/** Query of the jobs panel; an empty text for all jobs. */
export const jobsQuery: Signal<string> = signal('')
/** Order of the table in the jobs panel. */
export const jobsSort: Signal<JobsSort> = signal({ by: null, descending: false })
/** Field of the jobs, such as `wait`, that the histogram of the jobs panel shows. */
export const jobsFigure: Signal<JobNumber> = signal('wait')
/** Titles of the folded tracks. A folded track shows only its caption. */
export const folded: Signal<ReadonlyArray<string>> = signal(foldedAtFirst())
/** Titles of tracks in the order that the user chose; empty for the initial order. */
export const trackOrder: Signal<ReadonlyArray<string>> = signal([])
/** Titles of the pinned tracks, which stay above all other tracks. */
export const pinnedTracks: Signal<ReadonlyArray<string>> = signal([])
/** Shares of the panes that the user resized, in percent of the page's element around the pane. */
export const panes: Signal<Panes> = signal({})
export const clockBy: Signal<ClockBy> = signal('run')
/** Id of the job under the pointer; undefined for no job. */
export const hoveredJob: Signal<string | undefined> = signal(undefined)
export const colorBy: Signal<ColorBy> = signal('job')
export const tab: Signal<Tab> = signal('queue')
/** The only shown pod of the fabric; undefined for all pods. */
export const pod: Signal<number | undefined> = signal(undefined)
/** Letter of the active run. */
export const side: Signal<Side> = signal('a')
export const following: Signal<boolean> = signal(false)
export const theme: Signal<Theme> = signal('system')
/** Unit of playback: time, scheduling passes or records. */
export const pace: Signal<Pace> = signal('time')
/** Speed of playback. Pace `time`: lengths of the visible times per minute; other paces: steps per second. */
export const speed: Signal<number> = signal(2)
export const speeds: ReadonlyArray<number> = [0.25, 0.5, 1, 2, 4, 8, 16]

/** Resizable panes: `time` (views over time, at the left), `tracks` (below the jobs), `fabric` (above the panels). */
export type Pane = 'time' | 'tracks' | 'fabric'
export type Panes = Readonly<Partial<Record<Pane, number>>>
const paneNames: ReadonlyArray<Pane> = ['time', 'tracks', 'fabric']
/** Least share of a resized pane, in percent. */
export const LEAST_PANE = 10
export const MOST_PANE = 90

export interface JobsSort {
  /** Field by which the table is sorted; null for the order of submits. */
  readonly by: JobField | null
  readonly descending: boolean
}

const tabs: ReadonlyArray<Tab> = ['queue', 'fits', 'jobs', 'job', 'area', 'record', 'compare', 'figures', 'notes']
const colorings: ReadonlyArray<ColorBy> = ['job', 'size', 'wait', 'slowdown', 'backfilled']

/** The page's state as the part of the address behind `#`. Except the time, fields with initial values are left out. */
export const address: ReadonlySignal<string> = computed(() => {
  const fields = new URLSearchParams()
  const { t, seq } = cursor.value
  if (seq === undefined) fields.set('t', String(t))
  else fields.set('seq', String(seq))
  if (side.value !== 'a') fields.set('side', side.value)
  if (zoom.value !== undefined) fields.set('zoom', `${round(zoom.value.from)},${round(zoom.value.to)}`)
  if (rows.value !== undefined) fields.set('rows', `${Math.round(rows.value.from)},${Math.round(rows.value.to)}`)
  if (area.value !== undefined) fields.set('area', addressOfArea(area.value))
  if (selectedJob.value !== undefined) fields.set('job', selectedJob.value)
  if (pins.value.length > 0) fields.set('pins', pins.value.map(encodeURIComponent).join())
  if (shownLink.value !== undefined) fields.set('link', `${shownLink.value.level},${shownLink.value.link}`)
  if (jobsQuery.value !== '') fields.set('q', jobsQuery.value)
  if (jobsSort.value.by !== null) fields.set('sort', `${jobsSort.value.descending ? '-' : ''}${jobsSort.value.by}`)
  if (jobsFigure.value !== 'wait') fields.set('count', jobsFigure.value)
  if (folded.value.join() !== foldedAtFirst().join()) fields.set('fold', folded.value.join())
  if (trackOrder.value.length > 0) fields.set('tracks', trackOrder.value.join())
  if (pinnedTracks.value.length > 0) fields.set('above', pinnedTracks.value.join())
  const shares = paneNames.flatMap((name) => (panes.value[name] === undefined ? [] : [`${name}:${panes.value[name]}`]))
  if (shares.length > 0) fields.set('panes', shares.join())
  if (clockBy.value !== 'run') fields.set('clock', clockBy.value)
  if (colorBy.value !== 'job') fields.set('color', colorBy.value)
  if (tab.value !== 'queue') fields.set('tab', tab.value)
  if (pod.value !== undefined) fields.set('pod', String(pod.value))
  if (following.value) fields.set('follow', '1')
  if (theme.value !== 'system') fields.set('theme', theme.value)
  if (pace.value !== 'time') fields.set('pace', pace.value)
  if (speed.value !== 2) fields.set('speed', String(speed.value))
  return fields.toString()
})

/** Sets the page's state from an address. A field with an invalid value gets its initial value. */
export function visit(hash: string): void {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const number = (name: string): number | undefined => {
    const value = Number(fields.get(name) ?? Number.NaN)
    return Number.isFinite(value) && value >= 0 ? value : undefined
  }
  const span = (name: string): Span | undefined => {
    const [from, to] = (fields.get(name) ?? '').split(',').map(Number)
    return Number.isFinite(from) && to > from && from >= 0 ? { from, to } : undefined
  }
  const one = <Value extends string>(name: string, known: ReadonlyArray<Value>, other: Value): Value =>
    known.find((value) => value === fields.get(name)) ?? other
  batch(() => {
    side.value = one('side', sides, 'a')
    const seq = number('seq')
    cursor.value = seq === undefined ? { t: number('t') ?? 0 } : { t: 0, seq: Math.trunc(seq), side: side.value }
    zoom.value = span('zoom')
    rows.value = span('rows')
    area.value = areaOfAddress(fields.get('area'))
    selectedJob.value = fields.get('job') ?? undefined
    pins.value = (fields.get('pins') ?? '')
      .split(',')
      .filter((pin) => pin !== '')
      .map(decoded)
    shownLink.value = linkOf(fields.get('link'))
    jobsQuery.value = fields.get('q') ?? ''
    jobsSort.value = sortOf(fields.get('sort') ?? '')
    const figure = fields.get('count') ?? ''
    jobsFigure.value = isJobNumber(figure) ? figure : 'wait'
    const titles = (name: string): ReadonlyArray<string> =>
      (fields.get(name) ?? '').split(',').filter((title) => title !== '')
    folded.value = fields.has('fold') ? titles('fold') : foldedAtFirst()
    trackOrder.value = titles('tracks')
    pinnedTracks.value = titles('above')
    panes.value = panesOf(titles('panes'))
    clockBy.value = one('clock', ['run', 'utc', 'local'], 'run')
    colorBy.value = one('color', colorings, 'job')
    tab.value = one('tab', tabs, 'queue')
    pod.value = number('pod')
    following.value = fields.get('follow') === '1'
    theme.value = one('theme', ['light', 'dark', 'system'], 'system')
    pace.value = one('pace', ['time', 'pass', 'record'], 'time')
    speed.value = speeds.find((each) => each === number('speed')) ?? 2
  })
}

/** Returns the titles of the tracks that are folded initially, because few readers need them. */
function foldedAtFirst(): ReadonlyArray<string> {
  return ['Links']
}

/** Folds a track to its caption, or unfolds it. */
export function toggleFolded(title: string): void {
  const all = folded.peek()
  folded.value = all.includes(title) ? all.filter((each) => each !== title) : [...all, title]
}

function panesOf(shares: ReadonlyArray<string>): Panes {
  return Object.fromEntries(
    paneNames.flatMap((name) => {
      const share = Number(shares.find((each) => each.startsWith(`${name}:`))?.slice(name.length + 1))
      return share >= LEAST_PANE && share <= MOST_PANE ? [[name, share] as const] : []
    }),
  )
}

function sortOf(text: string): JobsSort {
  const by = text.replace(/^-/, '')
  return isJobNumber(by) || isJobText(by) ? { by, descending: text.startsWith('-') } : { by: null, descending: false }
}

function addressOfArea({ times, nodes }: { readonly times: Span; readonly nodes: Span }): string {
  return [round(times.from), round(times.to), Math.floor(nodes.from), Math.ceil(nodes.to)].join()
}

function areaOfAddress(text: string | null): { readonly times: Span; readonly nodes: Span } | undefined {
  const [from, to, first, end, ...more] = (text ?? '').split(',').map(Number)
  const isArea = from >= 0 && to > from && first >= 0 && end > first && [to, end].every(Number.isFinite)
  return isArea && more.length === 0 ? { times: { from, to }, nodes: { from: first, to: end } } : undefined
}

function linkOf(text: string | null): { readonly level: number; readonly link: number } | undefined {
  const [, level, link] = /^(\d{1,2}),(\d{1,9})$/.exec(text ?? '') ?? []
  return level === undefined ? undefined : { level: Number(level), link: Number(link) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function round(t: number): number {
  return Math.round(t * 1000) / 1000
}
