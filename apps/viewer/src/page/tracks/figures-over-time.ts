import { lowerBound } from '@cloister/topology'
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PointsQuestion, TimelineAnswer } from '../../run/questions.ts'
import { GUTTER } from '../drawing/canvas.tsx'
import { askRested, coarseToFine } from '../state/asking.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs, visible } from '../state/session.ts'

/** Number of moments at which the policy is asked about the largest job that would fit. */
export const FITS = 40
/** Time between the last change of the visible times and the request of the figures, in ms. */
const REST = 60
/** Time between the answers about figures and the first question about the largest job that would fit, in ms. */
const POLICY_REST = 250

/** Figures of a run over the visible times. */
interface Series {
  readonly timeline: TimelineAnswer
  /** Differences (this run minus the first run) of two figures; absent for the first run and until computed. */
  differences?: Readonly<Record<SteppedFigure, Extremes>>
  /** Number of nodes of the largest job that would fit, by the index of the point in `timeline.t`. */
  readonly fits: ReadonlyMap<number, number>
}

/** A run and its figures. */
export interface FiguresOfRun {
  readonly run: RunClient
  readonly series: Series
}

/** Figures of each run over the visible times, for all tracks of lines. */
const figures: Signal<ReadonlyArray<FiguresOfRun>> = signal([])
/** Width of the tracks in CSS pixels; undefined until a track is shown. */
const width: Signal<number | undefined> = signal(undefined)
let isKept = false

/** Returns the figures of each run over the visible times, with a value for every second pixel of a track's width. */
export function useFigures(pixels: number): ReadonlyArray<FiguresOfRun> {
  useEffect(() => {
    if (pixels > 0) width.value = pixels
    if (!isKept) effect(keepFigures)
    isKept = true
  }, [pixels])
  return figures.value
}

function keepFigures(): () => void {
  const { from, to } = visible.value
  const points = Math.max(50, Math.round(((width.value ?? 0) - GUTTER) / 2))
  const shown = runs.value.filter((run) => run.version.value > 0)
  return askRested<ReadonlyArray<FiguresOfRun>>({
    rest: REST,
    ask: (give, signal) => load(shown, { from, to, points }, give, signal),
    given: (loaded) => {
      figures.value = loaded
    },
    failed: (message) => {
      for (const run of shown) run.fails(message)
    },
  })
}

async function load(
  shown: ReadonlyArray<RunClient>,
  asked: PointsQuestion,
  give: (data: ReadonlyArray<FiguresOfRun>) => void,
  signal: AbortSignal,
): Promise<void> {
  const loaded = await Promise.all(
    shown.map(async (run) => ({
      run,
      series: { timeline: await run.answerer.ask('timeline', asked, signal), fits: new Map<number, number>() },
    })),
  )
  give(loaded)
  if (loaded.length > 1) {
    await tellDifferences(loaded, asked)
    if (signal.aborted) return
    give([...loaded])
  }
  // The policy answers slowly, so its questions about the moment at the cursor go before questions about tracks.
  await new Promise((resolve) => setTimeout(resolve, POLICY_REST))
  // The first moments about which the policy is asked are spread over all visible times, so that the shape of the track
  // shows early.
  for (const [samples, at] of coarseToFine(FITS).entries()) {
    // The request of the state at the cursor goes first.
    await Promise.all(loaded.map(({ run }) => run.rest()))
    if (signal.aborted) return
    const point = Math.floor(((at + 0.5) / FITS) * asked.points)
    await Promise.all(
      loaded
        .filter(({ run, series }) => canSay(run) && !Number.isNaN(series.timeline.busyLow[point]))
        .map(async ({ run, series }) => {
          const { nodes: fits } = await run.answerer.ask('largest', { t: series.timeline.t[point] }, signal)
          if (fits !== null) series.fits.set(point, fits)
        }),
    )
    if (samples % 4 === 0) give([...loaded])
  }
  give([...loaded])
}

async function tellDifferences(
  loaded: ReadonlyArray<FiguresOfRun>,
  { from, to, points }: PointsQuestion,
): Promise<void> {
  const [first, ...others] = await Promise.all(loaded.map(({ run }) => stepsOf(run)))
  for (const [at, other] of others.entries()) {
    const difference = (figure: SteppedFigure): Extremes =>
      differenceExtremes(first[figure], other[figure], from, to, points)
    loaded[at + 1].series.differences = { busy: difference('busy'), waiting: difference('waiting') }
  }
}

/** Returns true if the run's policy can be asked; false while the log is read, because answers take time. */
export function canSay(run: RunClient): boolean {
  const overview = run.overview.peek()
  return overview?.canAsk === true && overview.status !== 'reading'
}

/** Figures of a timeline of which the page requests every value, and not only the lowest and highest values. */
export type SteppedFigure = 'busy' | 'waiting'
type AllSteps = Readonly<Record<SteppedFigure, Steps>>

const known = new WeakMap<RunClient, { readonly version: string; readonly steps: Promise<AllSteps> }>()

/** Returns every value of a run's figures `busy` and `waiting`, with one request for each state of the log. */
function stepsOf(run: RunClient): Promise<AllSteps> {
  const { generation, records } = run.overview.peek() ?? {}
  const version = `${generation} ${records}`
  const had = known.get(run)
  if (had?.version === version) return had.steps
  const steps = run.answerer
    .ask('steps', {})
    .then(({ t, until, busy, waiting }) => ({
      busy: { t, until, values: busy },
      waiting: { t, until, values: waiting },
    }))
  known.set(run, { version, steps })
  // A failed request is not cached, so the next call sends a request again.
  steps.catch(() => known.delete(run))
  return steps
}

/** Every value of a figure: `values[i]` holds from `t[i]` to `t[i + 1]`, the last value until `until`, in seconds. */
export interface Steps {
  readonly t: ArrayLike<number>
  readonly until: number
  readonly values: ArrayLike<number>
}

interface Extremes {
  readonly low: Float64Array
  readonly high: Float64Array
}

/**
 * Returns a figure's least and greatest differences (`other` minus `first`) in `points` columns of equal length between
 * two times. NaN if a run has no value in a column.
 */
export function differenceExtremes(first: Steps, other: Steps, from: number, to: number, points: number): Extremes {
  const [low, high] = [0, 1].map(() => new Float64Array(points).fill(Number.NaN))
  const width = (to - from) / points
  const end = Math.min(to, first.until, other.until)
  let [a, b] = [lastAt(first, from), lastAt(other, from)]
  let t = from
  while (t < end) {
    const next = Math.min(end, startOf(first, a + 1), startOf(other, b + 1))
    if (a >= 0 && b >= 0 && next > t) {
      const difference = other.values[b] - first.values[a]
      const last = Math.min(points - 1, Math.ceil((next - from) / width) - 1)
      for (let point = Math.min(points - 1, Math.floor((t - from) / width)); point <= last; point++) {
        const start = from + point * width
        if (Math.min(next, start + width) <= Math.max(t, start)) continue
        // Comparisons with NaN are false, so the first difference of a column replaces its initial NaN.
        if (!(low[point] <= difference)) low[point] = difference
        if (!(high[point] >= difference)) high[point] = difference
      }
    }
    t = Math.max(t, next)
    while (startOf(first, a + 1) <= t) a++
    while (startOf(other, b + 1) <= t) b++
  }
  return { low, high }
}

function startOf({ t }: Steps, at: number): number {
  return at < t.length ? t[at] : Infinity
}

/** Returns the index of the last value that begins at or before a time; -1 if all values begin later. */
function lastAt({ t }: Steps, time: number): number {
  return lowerBound(t.length, (at) => t[at] <= time) - 1
}
