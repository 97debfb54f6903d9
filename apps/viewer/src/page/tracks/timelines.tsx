import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { JSX } from 'preact'
import uPlot from 'uplot'
import type { TimelineAnswer } from '../../run/questions.ts'
import { useSize } from '../drawing/canvas.ts'
import { css, themeColor } from '../drawing/colors.ts'
import { GUTTER } from '../drawing/measures.ts'
import type { RunClient } from '../state/run-client.ts'
import { moveTo, runs, visible, whole } from '../state/session.ts'
import { count, percent } from '../text/times.ts'
import { cursor, theme, zoom } from '../state/view-state.ts'

/** Points of the track of the largest job that would fit: the policy is asked for each of them. */
const FITS = 40

/** A line of a track: a fraction of 1, or a count, for each point. */
interface Line {
  readonly label: string
  /** Its meaning, shown as a tooltip. */
  readonly about: string
  readonly color: string
  readonly values: (of: Series, run: RunClient) => ReadonlyArray<number | null>
  readonly spanGaps?: boolean
}
interface Chart {
  readonly title: string
  readonly lines: ReadonlyArray<Line>
  readonly isShare: boolean
}
interface Series {
  readonly timeline: TimelineAnswer
  readonly fits: ReadonlyMap<number, number>
}

const share =
  (figure: 'busy' | 'internal' | 'external' | 'down' | 'wholeLeaves' | 'wholePods', of: (run: RunClient) => number) =>
  ({ timeline }: Series, run: RunClient): ReadonlyArray<number | null> =>
    numbers(timeline[figure], of(run))
const nodes = (run: RunClient): number => run.topology.nodes

const charts: ReadonlyArray<Chart> = [
  {
    title: 'Nodes',
    isShare: true,
    lines: [
      { label: 'used', about: 'nodes that jobs asked for and hold', color: '--line-1', values: share('busy', nodes) },
      {
        label: 'idle while jobs wait',
        about: 'free nodes while a job waits: external fragmentation',
        color: '--line-2',
        values: share('external', nodes),
      },
      {
        label: 'beyond request',
        about: 'nodes given to jobs beyond what they asked for: internal fragmentation',
        color: '--line-3',
        values: share('internal', nodes),
      },
      { label: 'down', about: 'nodes that are broken', color: '--line-4', values: share('down', nodes) },
    ],
  },
  {
    title: 'Room',
    isShare: true,
    lines: [
      {
        label: 'largest job that would fit',
        about: `the policy is asked at ${FITS} moments of what is drawn, one after the other; nothing where it is not at hand`,
        color: '--line-1',
        spanGaps: true,
        values: ({ timeline, fits }, run) => fitValues(timeline, fits, run),
      },
      {
        label: 'wholly free leaves',
        about: 'leaves all of whose nodes are free',
        color: '--line-2',
        values: share('wholeLeaves', (run) => run.topology.leaves),
      },
      {
        label: 'wholly free pods',
        about: 'pods all of whose nodes are free',
        color: '--line-3',
        values: share('wholePods', (run) => run.topology.pods),
      },
    ],
  },
  {
    title: 'Queue',
    isShare: false,
    lines: [
      {
        label: 'waiting jobs',
        about: 'jobs that came and have not started',
        color: '--line-1',
        values: ({ timeline }) => numbers(timeline.waiting, 1),
      },
    ],
  },
]

/** How the cluster was used over the visible times; dragging across narrows them. */
export function Timelines(): JSX.Element {
  const [box, size] = useSize<HTMLElement>()
  const data = useSignal<ReadonlyArray<{ readonly run: RunClient; readonly series: Series }>>([])
  const width = useSignal(0)
  useEffect(() => {
    width.value = size.width
  }, [size.width])
  useSignalEffect(() => {
    const { from, to } = visible.value
    const points = Math.max(50, Math.round((width.value - GUTTER) / 2))
    const shown = runs.value.filter((run) => run.version.value > 0)
    let isCurrent = true
    const timer = setTimeout(
      () =>
        void load(
          shown,
          from,
          to,
          points,
          (loaded) => {
            if (isCurrent) data.value = loaded
          },
          () => isCurrent,
        ),
      60,
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  })
  return (
    <section class="timelines" aria-label="Use of the machine over time" ref={box}>
      {charts.map((chart) => (
        <Plot key={chart.title} chart={chart} data={data.value} />
      ))}
    </section>
  )
}

async function load(
  shown: ReadonlyArray<RunClient>,
  from: number,
  to: number,
  points: number,
  give: (data: ReadonlyArray<{ readonly run: RunClient; readonly series: Series }>) => void,
  isCurrent: () => boolean,
): Promise<void> {
  const loaded = await Promise.all(
    shown.map(async (run) => ({
      run,
      series: { timeline: await run.answerer.ask('timeline', { from, to, points }), fits: new Map<number, number>() },
    })),
  )
  give(loaded)
  // The middle first, then ever finer, so that the track's shape shows early.
  for (const at of coarseToFine(FITS)) {
    if (!isCurrent()) return
    await Promise.all(
      loaded
        .filter(({ run }) => canSay(run))
        .map(async ({ run, series }) => {
          const { nodes: fits } = await run.answerer.ask('largest', { t: from + ((at + 0.5) / FITS) * (to - from) })
          if (fits !== null) series.fits.set(at, fits)
        }),
    )
    if (at % 4 === 0) give([...loaded])
  }
  give([...loaded])
}

/** Asks the policy only once the log is read: each answer takes some time. */
function canSay(run: RunClient): boolean {
  const overview = run.overview.peek()
  return overview?.canAsk === true && overview.status !== 'reading'
}

function coarseToFine(length: number): ReadonlyArray<number> {
  const order = new Set<number>()
  for (let step = length; step >= 1; step = Math.floor(step / 2))
    for (let at = 0; at < length; at += step) order.add(at)
  return [...order]
}

function numbers(values: Float64Array, of: number): ReadonlyArray<number | null> {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value / of))
}

function fitValues(
  { t }: TimelineAnswer,
  fits: ReadonlyMap<number, number>,
  run: RunClient,
): ReadonlyArray<number | null> {
  const values = new Array<number | null>(t.length).fill(null)
  for (const [at, found] of fits)
    values[Math.min(t.length - 1, Math.floor(((at + 0.5) / FITS) * t.length))] = found / run.topology.nodes
  return values
}

function Plot({
  chart,
  data,
}: {
  readonly chart: Chart
  readonly data: ReadonlyArray<{ readonly run: RunClient; readonly series: Series }>
}): JSX.Element {
  const [place, { width, height }] = useSize<HTMLDivElement>()
  const plot = useRef<uPlot | undefined>(undefined)
  const kind = `${theme.value} ${data.map(({ run }) => run.side).join()}`
  useEffect(() => {
    if (place.current === null || data.length === 0 || width < GUTTER * 2 || height < 40) return undefined
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
  useEffect(() => plot.current?.setData(dataOf(chart, data)), [data])
  useSignalEffect(() => {
    void [cursor.value, data]
    plot.current?.redraw(false)
  })
  return (
    <figure>
      <figcaption>
        <b>{chart.title}</b>
        {chart.lines.map((line) => (
          <span key={line.label} title={line.about}>
            <i style={{ background: `var(${line.color})` }} />
            {line.label} <Reading line={line} chart={chart} data={data} />
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={place} />
    </figure>
  )
}

/** The value at the cursor, in words for screen readers. */
function Reading({
  line,
  chart,
  data,
}: {
  readonly line: Line
  readonly chart: Chart
  readonly data: ReadonlyArray<{ readonly run: RunClient; readonly series: Series }>
}): JSX.Element {
  const found = data.map(({ run, series }) => {
    const { t } = series.timeline
    const last = t.length - 1
    // A link may name a time after the end of the run.
    const place = ((Math.min(cursor.value.t, whole.value.to) - t[0]) / (t[last] - t[0])) * last
    // A point is the middle of its interval: half an interval lies beyond the last point.
    const at = place < last + 0.6 ? Math.min(last, Math.round(place)) : -1
    const values = line.values(series, run)
    let value = values[at]
    if (line.spanGaps === true)
      for (let away = 1; away <= last && (value === null || value === undefined); away++)
        value = values[at - away] ?? values[at + away]
    return value ?? undefined
  })
  if (found.every((value) => value === undefined)) return <b>–</b>
  const texts = found.map((value) =>
    value === undefined ? '–' : chart.isShare ? (value * 100).toFixed(1) : count(value),
  )
  return (
    <b>
      {texts.join(' / ')}
      {chart.isShare ? ' %' : ''}
    </b>
  )
}

function dataOf(
  chart: Chart,
  data: ReadonlyArray<{ readonly run: RunClient; readonly series: Series }>,
): uPlot.AlignedData {
  if (data.length === 0) return [[]]
  return [
    data[0].series.timeline.t,
    ...data.flatMap(({ run, series }) => chart.lines.map((line) => line.values(series, run))),
  ] as unknown as uPlot.AlignedData
}

/** Steps of an axis of counts. */
const wholeSteps: Array<number> = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((each) => each * 10 ** power),
).flat()

function optionsOf(chart: Chart, shown: ReadonlyArray<RunClient>, width: number, height: number): uPlot.Options {
  const color = (name: string): string => css(themeColor(name))
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '10px system-ui, sans-serif',
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
        range: (_, __, max) => [
          0,
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
    series: [
      {},
      ...shown.flatMap((_, at) =>
        chart.lines.map((line) => ({
          label: line.label,
          stroke: color(line.color),
          width: 1.2,
          spanGaps: line.spanGaps ?? false,
          points: { show: false },
          ...(at === 0 ? {} : { dash: [4, 3] }),
        })),
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
      ready: [(u) => u.over.addEventListener('click', (event) => moveTo(u.posToVal(event.offsetX, 'x')))],
      draw: [
        (u) => {
          const x = u.valToPos(cursor.peek().t, 'x', true)
          if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return
          u.ctx.fillStyle = color('--accent')
          u.ctx.fillRect(x - devicePixelRatio, u.bbox.top, 2 * devicePixelRatio, u.bbox.height)
        },
      ],
    },
  }
}
