import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Fragment, type JSX } from 'preact'
import uPlot from 'uplot'
import type { TimelineFigure } from '@cloister/metrics'
import { figuresOf } from '../../run/figures.ts'
import type { Questions, TimelineAnswer } from '../../run/questions.ts'
import type { Picture } from '../../pictures/drawing.ts'
import { drawTrack } from '../../pictures/over-time.ts'
import { SaveButtons } from '../drawing/save-buttons.tsx'
import { useSize } from '../drawing/canvas.ts'
import { css, themeColor } from '../drawing/colors.ts'
import { GUTTER } from '../drawing/measures.ts'
import { strokeOf } from '../drawing/strokes.ts'
import { askRested } from '../state/ask-rested.ts'
import type { RunClient } from '../state/run-client.ts'
import { reveal } from '../navigation/reveal.ts'
import { type SteppedFigure, stepsOf } from '../state/run-steps.ts'
import { activeRun, runs, visible } from '../state/session.ts'
import { count, percent } from '../text/times.ts'
import { cursor, folded, pinnedTracks, theme, toggleFolded, trackOrder, zoom } from '../state/view-state.ts'
import { addCursorLine, placeCursorLine } from './cursor-line.ts'
import { differenceExtremes, type Extremes } from './differences.ts'
import { LinkHeat } from './link-heat.tsx'
import { TrackButtons } from './track-buttons.tsx'
import { type Chart, chartsShown, FITS, type Line } from './track-charts.ts'
import { ordered } from './track-order.ts'
import { coarseToFine } from './use-samples.ts'
import { useAnswer } from '../panels/use-answer.ts'

/** Time between the last change of the visible times and the request of the figures, in ms. */
const REST = 60
/** Time between the answers about figures and the first question about the largest job that would fit, in ms. */
const POLICY_REST = 250

interface Series {
  readonly timeline: TimelineAnswer
  /** Differences (this run minus the first run) of two figures; absent for the first run and until computed. */
  differences?: Readonly<Record<SteppedFigure, Extremes>>
  /** Number of nodes of the largest job that would fit, by the index of the point in `timeline.t`. */
  readonly fits: ReadonlyMap<number, number>
}

interface Loaded {
  readonly run: RunClient
  readonly series: Series
}

/** Tracks of figures over the visible times. A line shows the extremes of two pixels; a drag across a track zooms. */
export function Timelines(): JSX.Element {
  const [box, size] = useSize<HTMLElement>()
  const data = useSignal<ReadonlyArray<Loaded>>([])
  const width = useSignal(0)
  useEffect(() => {
    width.value = size.width
  }, [size.width])
  useSignalEffect(() => {
    const { from, to } = visible.value
    const points = Math.max(50, Math.round((width.value - GUTTER) / 2))
    const shown = runs.value.filter((run) => run.version.value > 0)
    return askRested<ReadonlyArray<Loaded>>({
      rest: REST,
      ask: (give, signal) => load(shown, { from, to, points }, give, signal),
      given: (loaded) => {
        data.value = loaded
      },
      failed: (message) => {
        for (const run of shown) run.error.value = message
      },
    })
  })
  const known = chartsShown()
  const titles = ordered(
    known.map(({ title }) => title),
    trackOrder.value,
    pinnedTracks.value,
  )
  const all = titles.map((title) => known.find((chart) => chart.title === title)!)
  const plots = all.map((chart) => <Plot key={chart.title} chart={chart} data={data.value} shown={titles} />)
  const above = plots.slice(0, titles.filter((title) => pinnedTracks.value.includes(title)).length)
  return (
    <section class="timelines" aria-label="Use of the machine over time" ref={box}>
      {above.length === 0 ? null : (
        <div class="above" style={{ '--above': above.length }}>
          {above}
        </div>
      )}
      {plots.slice(above.length)}
    </section>
  )
}

async function load(
  shown: ReadonlyArray<RunClient>,
  asked: Questions['timeline']['ask'],
  give: (data: ReadonlyArray<Loaded>) => void,
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
  loaded: ReadonlyArray<Loaded>,
  { from, to, points }: Questions['timeline']['ask'],
): Promise<void> {
  const [first, ...others] = await Promise.all(loaded.map(({ run }) => stepsOf(run)))
  for (const [at, other] of others.entries()) {
    const difference = (figure: SteppedFigure): Extremes =>
      differenceExtremes(first[figure], other[figure], from, to, points)
    loaded[at + 1].series.differences = { busy: difference('busy'), waiting: difference('waiting') }
  }
}

/** Returns true if the run's policy can be asked; false while the log is read, because answers take time. */
function canSay(run: RunClient): boolean {
  const overview = run.overview.peek()
  return overview?.canAsk === true && overview.status !== 'reading'
}

/** Returns a line's columns for uPlot: lowest and highest values, or dots of the largest job that would fit. */
function columnsOf(
  { isDifference }: Chart,
  { figure, of }: Line,
  { timeline, fits, differences }: Series,
  run: RunClient,
): ReadonlyArray<Column> {
  if (isDifference === true) {
    const { low, high } = differences?.[figure as SteppedFigure] ?? {}
    return [low, high].map((values) => Array.from(timeline.t, (_, at) => numberOrNull(values?.[at])))
  }
  if (figure === 'fits') return [Array.from(timeline.t, (_, at) => (fits.has(at) ? fits.get(at)! / of(run) : null))]
  return [timeline[`${figure}Low`], timeline[`${figure}High`]].map((values) =>
    Array.from(values, (value) => numberOrNull(value / of(run))),
  )
}
function numberOrNull(value: number = Number.NaN): number | null {
  return Number.isNaN(value) ? null : value
}
type Column = ReadonlyArray<number | null>

function Plot({
  chart,
  data: all,
  shown,
}: {
  readonly chart: Chart
  readonly shown: ReadonlyArray<string>
  readonly data: ReadonlyArray<Loaded>
}): JSX.Element {
  const data = chart.isDifference === true ? all.slice(1) : all
  const [place, { width, height }] = useSize<HTMLDivElement>()
  const plot = useRef<uPlot | undefined>(undefined)
  const heated = activeRun.value?.overview.value === undefined ? undefined : activeRun.value
  const isFolded = folded.value.includes(chart.title)
  const kind = `${theme.value} ${data.map(({ run }) => run.side).join()}`
  useEffect(() => {
    if (place.current === null || data.length === 0 || chart.lines.length === 0 || width < GUTTER * 2 || height < 40)
      return undefined
    const made = new uPlot(
      optionsOf(
        chart,
        data.map(({ run }) => run),
        width,
        height,
      ),
      dataOf(chart, data),
      place.current,
    )
    plot.current = made
    return () => {
      made.destroy()
      plot.current = undefined
    }
  }, [kind, width, height, data.length])
  useEffect(() => plot.current?.setData(dataOf(chart, data)), [all])
  useSignalEffect(() => {
    void cursor.value
    if (plot.current !== undefined) placeCursorLine(plot.current)
  })
  return (
    <figure data-folded={isFolded}>
      <figcaption>
        <button type="button" class="fold" aria-expanded={!isFolded} onClick={() => toggleFolded(chart.title)}>
          {chart.title}
        </button>
        {chart.lines.map((line) => (
          <span key={line.label} title={line.about}>
            <i style={{ background: `var(${line.color})` }} />
            {line.label} <Reading line={line} chart={chart} />
          </span>
        ))}
        <span class="tools">
          <TrackButtons title={chart.title} shown={shown} />
          {chart.lines.length === 0 ? null : (
            <SaveButtons
              title={chart.title}
              name={chart.title.toLowerCase()}
              pictureOf={() => pictureOf(chart, data)}
            />
          )}
        </span>
      </figcaption>
      <div class="plot" ref={place} hidden={isFolded || chart.lines.length === 0} />
      {chart.hasLinkHeat !== true || isFolded || heated === undefined ? null : (
        <LinkHeat key={heated.side} run={heated} />
      )}
    </figure>
  )
}

function Reading({ line, chart }: { readonly line: Line; readonly chart: Chart }): JSX.Element {
  const first = runs.value[0] === undefined || line.figure === 'fits' ? Number.NaN : valueOf(runs.value[0], line.figure)
  return (
    <b>
      {(chart.isDifference === true ? runs.value.slice(1) : runs.value).map((run, at) => (
        <Fragment key={run.side}>
          {at === 0 ? '' : ' / '}
          {line.figure === 'fits' ? (
            <LargestFit run={run} />
          ) : run.moment.value === undefined ? (
            '–'
          ) : (
            inWords((valueOf(run, line.figure) - (chart.isDifference === true ? first : 0)) / line.of(run), chart)
          )}
        </Fragment>
      ))}
    </b>
  )
}

function valueOf(run: RunClient, figure: TimelineFigure): number {
  return run.moment.value === undefined ? Number.NaN : figuresOf(run.moment.value, run.topology)[figure]
}

/** Largest job that would fit at the cursor, in percent of all nodes; `…` while the policy's answer is missing. */
function LargestFit({ run }: { readonly run: RunClient }): JSX.Element {
  const { answer, isOld } = useAnswer(
    run,
    () => (run.overview.value !== undefined && canSay(run) ? run.moment.value?.seq : undefined),
    (signal) => run.answerer.ask('largest', { seq: run.moment.peek()!.seq }, signal),
  )
  if (answer === undefined || answer.nodes === null) return <>–</>
  return <>{isOld ? '…' : `${((100 * answer.nodes) / run.topology.nodes).toFixed(1)} %`}</>
}

function inWords(value: number, { isShare, isDifference }: Chart): string {
  if (Number.isNaN(value)) return '–'
  if (isDifference === true) return `${value > 0 ? '+' : value < 0 ? '−' : ''}${count(Math.abs(value))}`
  return isShare ? `${(value * 100).toFixed(1)} %` : count(value)
}

function dataOf(chart: Chart, data: ReadonlyArray<Loaded>): uPlot.AlignedData {
  if (data.length === 0) return [[]]
  return [
    data[0].series.timeline.t,
    ...data.flatMap(({ run, series }) => chart.lines.flatMap((line) => columnsOf(chart, line, series, run))),
  ] as unknown as uPlot.AlignedData
}

function pictureOf(chart: Chart, data: ReadonlyArray<Loaded>): Picture {
  const lines = data.flatMap(({ run, series }) =>
    chart.lines.map((line) => {
      const columns = columnsOf(chart, line, series, run)
      const name = data.length === 1 ? line.label : `${run.side.toUpperCase()}: ${line.label}`
      return { name, color: css(themeColor(line.color)), low: columns[0], high: columns[columns.length - 1] }
    }),
  )
  const { timeline } = data[0]?.series ?? {}
  return drawTrack(document, { width: 960, height: 320 }, { t: timeline?.t ?? [], lines, isShare: chart.isShare })
}

/** Possible distances between the ticks of an axis with counts: 1, 2, 5, 10, 20, 50, … */
const wholeSteps: Array<number> = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((each) => each * 10 ** power),
).flat()

function optionsOf(chart: Chart, shown: ReadonlyArray<RunClient>, width: number, height: number): uPlot.Options {
  const color = (name: string): string => css(themeColor(name))
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 0, 0, 0],
    ms: 1,
    scales: {
      x: { time: false, range: () => [visible.peek().from, visible.peek().to] },
      y: {
        range: (_, min, max) => [
          chart.isDifference === true ? Math.min(-1, min * 1.05) : 0,
          chart.isShare ? Math.max(0.02, Math.min(1.02, max * 1.05)) : Math.max(1, max * 1.05),
        ],
      },
    },
    axes: [
      { ...axis, size: 4, values: () => [] },
      {
        ...axis,
        size: GUTTER,
        space: 22,
        ...(chart.isShare ? {} : { incrs: wholeSteps }),
        values: (_, values) =>
          values.map((value) => (chart.isShare ? percent(value, value < 0.05 && value > 0 ? 1 : 0) : count(value))),
      },
    ],
    cursor: { points: { show: false }, y: false, drag: { x: true, y: false, setScale: false } },
    bands: bandsOf(chart, shown, color),
    series: [
      {},
      ...shown.flatMap((run) =>
        chart.lines.flatMap((line): ReadonlyArray<uPlot.Series> => {
          const stroke = color(line.color)
          const dots = { label: line.label, stroke, paths: () => null, points: { show: true, size: 5, fill: stroke } }
          const edge = { label: line.label, stroke, width: 1.2, points: { show: false }, dash: strokeOf(run).dash }
          return line.figure === 'fits' ? [dots] : [edge, edge]
        }),
      ),
    ],
    hooks: {
      setSelect: [
        (u) => {
          if (u.select.width < 4) return
          const [from, to] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          zoom.value = { from: Math.max(0, from), to }
        },
      ],
      ready: [
        addCursorLine,
        (u) => u.over.addEventListener('click', (event) => reveal({ kind: 'time', t: u.posToVal(event.offsetX, 'x') })),
      ],
      draw: [
        (u) => {
          if (chart.isDifference === true) {
            u.ctx.fillStyle = color('--strong-line')
            u.ctx.fillRect(u.bbox.left, Math.round(u.valToPos(0, 'y', true)), u.bbox.width, devicePixelRatio)
          }
        },
        placeCursorLine,
      ],
    },
  }
}

/** Returns for each line of extremes the band that uPlot fills between the lowest and the highest values. */
function bandsOf(chart: Chart, shown: ReadonlyArray<RunClient>, color: (name: string) => string): Array<uPlot.Band> {
  const bands: Array<uPlot.Band> = []
  let series = 1
  for (const line of shown.flatMap(() => chart.lines)) {
    if (line.figure !== 'fits')
      bands.push({ series: [series + 1, series], fill: color(line.color).replace(')', ' / 30%)') })
    series += line.figure === 'fits' ? 1 : 2
  }
  return bands
}
