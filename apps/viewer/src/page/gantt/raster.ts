import type { Outages } from '../../run/area.ts'
import type { Abgr } from '../drawing/colors.ts'

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
export interface BarStyle {
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
