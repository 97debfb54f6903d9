import { trackFigure } from '@cloister/figures'
import type { TimelineFigure } from '@cloister/metrics'
import { Fragment, type JSX } from 'preact'
import { figuresOf } from '../../run/moment.ts'
import { count, percent } from '../../words.ts'
import { strokeOf } from '../drawing/canvas.tsx'
import { css, themeColor } from '../drawing/colors.ts'
import type { SavedFigure } from '../drawing/save.tsx'
import type { TimeScale, Track } from '../extensions.ts'
import { useAnswer } from '../state/asking.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs } from '../state/session.ts'
import { canSay, type FiguresOfRun, type SteppedFigure, useFigures } from './figures-over-time.ts'

/** A line of a track: the extremes of a figure, or dots at the moments about which the policy was asked. */
interface Line {
  readonly label: string
  /** Meaning of the line, shown as a tooltip. */
  readonly about: string
  readonly color: string
  readonly figure: TimelineFigure | 'fits'
  /** Returns the amount of 100 %; if absent, the number of all nodes in a track of shares, and 1 in a track of counts. */
  readonly of?: (run: RunClient) => number
}

/** Lines of a track. */
interface Lines {
  readonly lines: ReadonlyArray<Line>
  readonly isShare: boolean
  /** True if the track shows the differences of later runs to the first run. */
  readonly isDifference: boolean
}

/** A track of lines; the legend shows the values at the cursor. Tracks of differences need two runs. */
export function lineTrack({
  lines,
  isShare,
  isDifference = false,
  ...track
}: Pick<Lines, 'lines' | 'isShare'> & Partial<Lines> & Pick<Track, 'name' | 'isFolded' | 'isOffered' | 'below'>): Track<
  ReadonlyArray<FiguresOfRun>
> {
  const chart = { lines, isShare, isDifference }
  return {
    height: 62,
    isOffered: () => runs.value.length > (isDifference ? 1 : 0),
    ...track,
    useData: (width) => {
      const figures = useFigures(width)
      return figures.length > (isDifference ? 1 : 0) ? figures : undefined
    },
    draw: (context, scale, figures) => drawLines(context, scale, chart, figures),
    legend: () => <Legend chart={chart} />,
    saved: { title: track.name, file: track.name.toLowerCase(), figureOf: (figures) => figureOf(chart, figures) },
  }
}

function Legend({ chart }: { readonly chart: Lines }): JSX.Element {
  return (
    <>
      {chart.lines.map((line) => (
        <span key={line.label} title={line.about}>
          <i style={{ background: `var(${line.color})` }} />
          {line.label} <Reading line={line} chart={chart} />
        </span>
      ))}
    </>
  )
}

function Reading({ line, chart }: { readonly line: Line; readonly chart: Lines }): JSX.Element {
  const first = runs.value[0] === undefined || line.figure === 'fits' ? Number.NaN : valueOf(runs.value[0], line.figure)
  return (
    <b>
      {(chart.isDifference ? runs.value.slice(1) : runs.value).map((run, at) => (
        <Fragment key={run.side}>
          {at === 0 ? '' : ' / '}
          {line.figure === 'fits' ? (
            <LargestFit run={run} />
          ) : run.moment.value === undefined ? (
            '–'
          ) : (
            inWords((valueOf(run, line.figure) - (chart.isDifference ? first : 0)) / wholeOf(run, line, chart), chart)
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

function wholeOf(run: RunClient, { of }: Line, { isShare }: Lines): number {
  return of?.(run) ?? (isShare ? run.topology.nodes : 1)
}

function inWords(value: number, { isShare, isDifference }: Lines): string {
  if (Number.isNaN(value)) return '–'
  if (isDifference) return `${value > 0 ? '+' : value < 0 ? '−' : ''}${count(Math.abs(value))}`
  return isShare ? `${(value * 100).toFixed(1)} %` : count(value)
}

/** Values of a line of a run; NaN for a point without a value. A line of dots has equal lowest and highest values. */
interface Values {
  readonly line: Line
  readonly run: RunClient
  readonly t: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
}

function valuesOf(chart: Lines, all: ReadonlyArray<FiguresOfRun>): ReadonlyArray<Values> {
  return all.slice(chart.isDifference ? 1 : 0).flatMap(({ run, series: { timeline, fits, differences } }) =>
    chart.lines.map((line): Values => {
      const { figure } = line
      const { t } = timeline
      if (chart.isDifference) {
        const { low, high } = differences?.[figure as SteppedFigure] ?? { low: unknown(t), high: unknown(t) }
        return { line, run, t, low, high }
      }
      const whole = wholeOf(run, line, chart)
      const share = (value: number): number => value / whole
      if (figure !== 'fits')
        return { line, run, t, low: timeline[`${figure}Low`].map(share), high: timeline[`${figure}High`].map(share) }
      const dots = unknown(t).map((none, at) => share(fits.get(at) ?? none))
      return { line, run, t, low: dots, high: dots }
    }),
  )
}

function unknown(t: Float64Array): Float64Array {
  return new Float64Array(t.length).fill(Number.NaN)
}

function figureOf(chart: Lines, figures: ReadonlyArray<FiguresOfRun>): SavedFigure {
  const values = valuesOf(chart, figures)
  const orNull = (all: Float64Array): ReadonlyArray<number | null> =>
    Array.from(all, (value) => (Number.isNaN(value) ? null : value))
  const lines = values.map(({ line, run, low, high }) => ({
    name: values.length === chart.lines.length ? line.label : `${run.side.toUpperCase()}: ${line.label}`,
    color: css(themeColor(line.color)),
    low: orNull(low),
    high: orNull(high),
  }))
  const figure = trackFigure({ t: values[0]?.t ?? [], lines, isShare: chart.isShare })
  return { figure, extent: { width: 960, height: 320 } }
}

/** Margin above and below the lines, in CSS pixels. */
const [ABOVE, BELOW] = [6, 4]
/** Width of a line, and diameter of a dot, in CSS pixels. */
const [WIDTH, DOT] = [1.2, 5]
/** Least distances between two lines of the grid, in CSS pixels: between times, and between values. */
const [TIME_SPACE, VALUE_SPACE] = [50, 22]

/** A scale of values from `low` (drawn at the bottom) to `high`. */
interface ValueScale {
  readonly low: number
  readonly high: number
  readonly bottom: number
  readonly y: (value: number) => number
}

function drawLines(
  context: CanvasRenderingContext2D,
  scale: TimeScale,
  chart: Lines,
  figures: ReadonlyArray<FiguresOfRun>,
): void {
  const all = valuesOf(chart, figures)
  const values = valueScale(chart, all, scale.height)
  drawGrid(context, scale, values, chart.isShare)
  context.save()
  // Lines of a fractional width begin at whole pixels of the screen, so that horizontal lines are sharp.
  const shift = ((WIDTH * devicePixelRatio) % 2) / 2 / devicePixelRatio
  context.translate(shift, shift)
  context.beginPath()
  context.rect(
    scale.left - WIDTH / 2,
    ABOVE - WIDTH / 2,
    scale.width - scale.left + WIDTH,
    values.bottom - ABOVE + WIDTH,
  )
  context.clip()
  context.lineWidth = WIDTH
  context.lineJoin = 'round'
  for (const each of all) {
    const color = css(themeColor(each.line.color))
    context.strokeStyle = color
    context.setLineDash(strokeOf(each.run).dash)
    const point = (at: number, of: Float64Array): readonly [number, number] => [
      atPixel(scale.x(each.t[at])),
      values.y(of[at]),
    ]
    if (each.line.figure === 'fits') {
      context.fillStyle = color
      for (let at = 0; at < each.t.length; at++) if (!Number.isNaN(each.low[at])) drawDot(context, point(at, each.low))
      continue
    }
    context.fillStyle = color.replace(')', ' / 30%)')
    for (const [first, end] of knownParts(each.low)) {
      const [low, high] = [each.low, each.high].map((of) =>
        Array.from({ length: end - first }, (_, at) => point(first + at, of)),
      )
      strokePath(context, low)
      context.beginPath()
      for (const [x, y] of [...low, ...high.reverse()]) context.lineTo(x, y)
      context.fill()
      strokePath(context, high)
    }
  }
  context.restore()
  if (chart.isDifference) {
    context.fillStyle = css(themeColor('--strong-line'))
    context.fillRect(scale.left, values.y(0), scale.width - scale.left, 1)
  }
}

function valueScale({ isShare, isDifference }: Lines, all: ReadonlyArray<Values>, height: number): ValueScale {
  let [least, most] = [0, 0]
  for (const { low, high } of all) {
    // Comparisons with NaN are false, so points without a value do not count.
    for (const value of low) if (value < least) least = value
    for (const value of high) if (value > most) most = value
  }
  const low = isDifference ? Math.min(-1, least * 1.05) : 0
  const high = isShare ? Math.max(0.02, Math.min(1.02, most * 1.05)) : Math.max(1, most * 1.05)
  const bottom = height - BELOW
  return { low, high, bottom, y: (value) => atPixel(bottom - ((value - low) / (high - low)) * (bottom - ABOVE)) }
}

/** Draws lines at round times and values, and the values at the left. */
function drawGrid(
  context: CanvasRenderingContext2D,
  { from, to, x, left, width }: TimeScale,
  { low, high, bottom, y }: ValueScale,
  isShare: boolean,
): void {
  const times = roundSteps(from, to, ((to - from) * TIME_SPACE) / (width - left), [1, 2, 2.5, 5])
  const space = ((high - low) * VALUE_SPACE) / (bottom - ABOVE)
  const steps = isShare
    ? roundSteps(low, high, space, [1, 2, 2.5, 5])
    : roundSteps(low, high, Math.max(1, space), [1, 2, 5])
  context.fillStyle = css(themeColor('--line'))
  for (const t of times) context.fillRect(atPixel(x(t)), ABOVE, 1, bottom - ABOVE)
  for (const value of steps) context.fillRect(left, y(value), width - left, 1)
  context.fillStyle = css(themeColor('--muted'))
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  for (const value of steps)
    context.fillText(isShare ? percent(value, value < 0.05 && value > 0 ? 1 : 0) : count(value), left - 5, y(value))
}

/** Returns the multiples of a round step between two numbers: the least step of `factors` by powers of 10 from `least`. */
function roundSteps(from: number, to: number, least: number, factors: ReadonlyArray<number>): ReadonlyArray<number> {
  const power = Math.floor(Math.log10(least))
  const step = [...factors.map((each) => Number(`${each}e${power}`)), Number(`1e${power + 1}`)].find(
    (each) => each >= least,
  )!
  const steps: Array<number> = []
  for (let at = Math.ceil(from / step); at * step <= to; at++) steps.push(at * step)
  return steps
}

/** Returns the parts of an array without NaN, each from its first index to before its end. */
function knownParts(values: Float64Array): ReadonlyArray<readonly [first: number, end: number]> {
  const found: Array<readonly [number, number]> = []
  for (let at = 0; at < values.length; at++) {
    if (Number.isNaN(values[at])) continue
    const first = at
    while (at < values.length && !Number.isNaN(values[at])) at++
    found.push([first, at])
  }
  return found
}

function strokePath(context: CanvasRenderingContext2D, points: ReadonlyArray<readonly [number, number]>): void {
  context.beginPath()
  for (const [x, y] of points) context.lineTo(x, y)
  context.stroke()
}

function drawDot(context: CanvasRenderingContext2D, [x, y]: readonly [number, number]): void {
  context.beginPath()
  context.arc(x, y, DOT / 2, 0, 2 * Math.PI)
  context.fill()
}

/** Rounds a length in CSS pixels to whole pixels of the screen. */
function atPixel(length: number): number {
  return Math.round(length * devicePixelRatio) / devicePixelRatio
}
