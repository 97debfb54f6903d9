import type { Outages } from '../../run/area.ts'
import { spanFlags, type TimelineMeansAnswer } from '../../run/questions.ts'
import { freshContext, GUTTER, PASS_LANE, ROWS_TOP, type Size, TIME_AXIS } from '../drawing/canvas.tsx'
import { type Abgr, backfilledColors, css, mix, themeColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'

/** Distance between the lines of the hatch over nodes that are down, in pixels of the image. */
const HATCH = 5

/** Columns of the spans of a run (times in which a job holds nodes). `RunColumns` describes each column. */
export interface SpanColumns {
  readonly spans: number
  readonly blockLength: number
  readonly blockStarts: Numbers
  readonly blockEnds: Numbers
  readonly starts: Numbers
  readonly ends: Numbers
  readonly rangesFrom: Numbers
  readonly ranges: Numbers
}
interface Numbers {
  readonly length: number
  at(index: number): number
}

/** Visible times (left to right, in seconds) and nodes (top to bottom) of a chart, and the chart's size in pixels. */
export interface Frame {
  readonly from: number
  readonly to: number
  readonly firstNode: number
  /** Node behind the last visible node. */
  readonly endNode: number
  readonly width: number
  readonly height: number
}

/** Style of spans: bars with a border, and spans too small for a bar. */
interface BarStyle {
  /** Least width and height of a bar, in pixels. */
  readonly least: number
  readonly borderOf: (color: Abgr) => Abgr
  /** Colour of spans smaller than `least`; undefined if such spans have the colour of their job. */
  readonly small: Abgr | undefined
}

/**
 * Paints every span into pixels. A pixel shows the span at the pixel's middle, so the areas of jobs stay in proportion
 * if many jobs share a pixel. A hundred thousand jobs take some milliseconds.
 *
 * @param now time in seconds that counts as the end of spans that still run
 * @param pixels pixels of the image, row by row; pixels of free nodes stay unchanged
 */
export function paint(
  columns: SpanColumns,
  frame: Frame,
  now: number,
  colorOf: (span: number) => Abgr,
  pixels: Uint32Array,
  style?: BarStyle,
): void {
  const { spans, blockLength, blockStarts, blockEnds } = columns
  for (let block = 0; block < blockStarts.length; block++) {
    if (blockStarts.at(block) >= frame.to || blockEnds.at(block) <= frame.from) continue
    const end = Math.min(spans, (block + 1) * blockLength)
    for (let span = block * blockLength; span < end; span++)
      paintSpan(columns, frame, now, span, colorOf, pixels, style)
  }
}

/** Hatches the nodes that were down. @param now time in seconds that counts as the end of outages that still last */
export function paintOutages(
  { first, last, from: starts, to: ends }: Outages,
  { from, to, firstNode, endNode, width, height }: Frame,
  now: number,
  color: Abgr,
  pixels: Uint32Array,
): void {
  const across = width / (to - from)
  const down = height / (endNode - firstNode)
  for (let at = 0; at < first.length; at++) {
    const end = Number.isNaN(ends[at]) ? now : ends[at]
    const left = Math.max(0, Math.floor((starts[at] - from) * across))
    // Even a short outage of one node is at least a pixel wide and high.
    const right = Math.min(width, Math.max(left + 1, Math.ceil((end - from) * across)))
    const top = Math.max(0, Math.floor((first[at] - firstNode) * down))
    const bottom = Math.min(height, Math.max(top + 1, Math.ceil((last[at] + 1 - firstNode) * down)))
    if (starts[at] >= to || end <= from) continue
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) if ((x + y) % HATCH < 2) pixels[y * width + x] = color
  }
}

export function paintSpan(
  { starts, ends, rangesFrom, ranges }: SpanColumns,
  { from, to, firstNode, endNode, width, height }: Frame,
  now: number,
  span: number,
  colorOf: (span: number) => Abgr,
  pixels: Uint32Array,
  style?: BarStyle,
): void {
  const start = starts.at(span)
  const end = Number.isNaN(ends.at(span)) ? now : ends.at(span)
  if (start >= to || end <= from) return
  const across = width / (to - from)
  const left = Math.max(0, Math.ceil((start - from) * across - 0.5))
  const right = Math.min(width, Math.ceil((end - from) * across - 0.5))
  if (left >= right) return
  const down = height / (endNode - firstNode)
  const color = colorOf(span)
  for (let at = rangesFrom.at(span); at < rangesFrom.at(span + 1); at += 2) {
    const top = Math.max(0, Math.ceil((ranges.at(at) - firstNode) * down - 0.5))
    const bottom = Math.min(height, Math.ceil((ranges.at(at + 1) + 1 - firstNode) * down - 0.5))
    const isBar = style !== undefined && Math.min(right - left, bottom - top) >= style.least
    const inside = isBar ? color : (style?.small ?? color)
    for (let y = top; y < bottom; y++) pixels.fill(inside, y * width + left, y * width + right)
    if (isBar) paintBorder(pixels, width, { left, right, top, bottom }, style.borderOf(color))
  }
}

/** Paints the right and the lower border of a bar. The left and the upper border belong to the neighbouring bars. */
function paintBorder(
  pixels: Uint32Array,
  width: number,
  {
    left,
    right,
    top,
    bottom,
  }: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number },
  color: Abgr,
): void {
  pixels.fill(color, (bottom - 1) * width + left, (bottom - 1) * width + right)
  for (let y = top; y < bottom; y++) pixels[y * width + right - 1] = color
}

/** Number of started jobs in each column of pixels, and whether the column has a scheduling pass. */
interface PassCounts {
  /** Number of jobs that started in queue order, in each column of pixels. */
  readonly inTurn: Int32Array
  /** Number of backfilled jobs in each column of pixels. */
  readonly backfilled: Int32Array
  /** 1 if a job was submitted or ended in the column of pixels, which causes a scheduling pass; 0 for other columns. */
  readonly looked: Uint8Array
}

export function countPasses(
  { spans, starts, ends, flags, submits }: Pick<RunClient, 'spans' | 'starts' | 'ends' | 'flags' | 'submits'>,
  { from, to, width }: Pick<Frame, 'from' | 'to' | 'width'>,
): PassCounts {
  const counts = { inTurn: new Int32Array(width), backfilled: new Int32Array(width), looked: new Uint8Array(width) }
  const columnOf = (t: number): number =>
    t >= from && t <= to ? Math.min(width - 1, Math.floor(((t - from) / (to - from)) * width)) : -1
  const look = (t: number): void => {
    const column = columnOf(t)
    if (column >= 0) counts.looked[column] = 1
  }
  for (let job = 0; job < submits.length; job++) look(submits.at(job))
  for (let span = 0; span < spans; span++) {
    look(ends.at(span))
    const column = columnOf(starts.at(span))
    if (column >= 0) (flags.at(span) & spanFlags.backfilled ? counts.backfilled : counts.inTurn)[column]++
  }
  return counts
}

/** Draws the lane of scheduling passes: bars for starts in queue order and backfills; grey bars for other passes. */
export function drawPasses(context: CanvasRenderingContext2D, run: RunClient, frame: Frame): void {
  const { inTurn, backfilled, looked } = countPasses(run, frame)
  const bottom = TIME_AXIS + PASS_LANE - 1
  const full = tall(inTurn.map((jobs, x) => jobs + backfilled[x]))
  // The height of a bar follows the square root of its number of starts, so that a single start stays visible.
  const heightOf = (jobs: number): number => Math.max(2, Math.sqrt(Math.min(1, jobs / full)) * (PASS_LANE - 2))
  const bar = (x: number, from: number, to: number, color: Abgr): void => {
    context.fillStyle = css(color)
    context.fillRect(GUTTER + x, bottom - to, 1, to - from)
  }
  const idle = themeColor('--strong-line')
  for (let x = 0; x < frame.width; x++) {
    const all = inTurn[x] + backfilled[x]
    if (all === 0) {
      if (looked[x] === 1) bar(x, 0, 1, idle)
      continue
    }
    const height = heightOf(all)
    const split = height * (inTurn[x] / all)
    bar(x, 0, split, backfilledColors.inTurn)
    bar(x, split, height, backfilledColors.backfilled)
  }
}

/** Returns the starts of a bar as high as the lane: the 95 % quantile over columns with starts; 1 without a start. */
function tall(counts: Int32Array): number {
  const some = counts.filter((jobs) => jobs > 0).sort()
  return some[Math.floor(some.length * 0.95)] ?? 1
}

/** Greatest share of a cause's colour in the colour of idle nodes, from 0 to 1. */
const LOUDNESS = 0.75

/** Draws the background of the jobs: loud at times with idle nodes while a waiting job needs no more than are idle. */
export function drawIdle(
  canvas: HTMLCanvasElement,
  size: Size,
  frame: Frame,
  means: TimelineMeansAnswer | undefined,
): void {
  const context = freshContext(canvas, size)
  context.fillStyle = css(themeColor('--canvas'))
  context.fillRect(GUTTER, ROWS_TOP, frame.width, frame.height)
  if (means === undefined || means.t.length < 2) return
  const length = means.t[1] - means.t[0]
  const x = (t: number): number =>
    Math.round(
      GUTTER + ((Math.max(frame.from, Math.min(frame.to, t)) - frame.from) / (frame.to - frame.from)) * frame.width,
    )
  const edge = (at: number): number => x(means.t[0] - length / 2 + at * length)
  const colors = { none: themeColor('--canvas'), few: themeColor('--few'), fragmented: themeColor('--fragmented') }
  for (let at = 0; at < means.t.length; at++) {
    const color = idleColor(means.idle[at], means.tooFewNodes[at], means.fragmented[at], colors)
    if (color === undefined) continue
    context.fillStyle = css(color)
    const [left, right] = [edge(at), edge(at + 1)]
    context.fillRect(left, ROWS_TOP, right - left, frame.height)
  }
}

/**
 * Returns the colour of idle nodes, mixed by the shares of the causes `few` (every waiting job needs more nodes than
 * are idle) and `fragmented` (a waiting job does not). Returns undefined if no node was idle or no job waited.
 */
export function idleColor(
  idle: number,
  few: number,
  fragmented: number,
  colors: Readonly<Record<'none' | 'few' | 'fragmented', Abgr>>,
): Abgr | undefined {
  if (!(idle > 0) || few + fragmented === 0) return undefined
  const loud = mix(colors.few, colors.fragmented, fragmented / (few + fragmented))
  return mix(colors.none, loud, LOUDNESS * Math.min(1, (few + fragmented) / idle))
}
