import { GUTTER, ROWS_TOP } from '../drawing/measures.ts'
import type { Span } from '../state/view-state.ts'
import type { Frame } from './raster.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** Two opposite corners of a dragged box, in CSS pixels from the chart's upper left corner. */
export interface Box {
  readonly from: Point
  readonly to: Point
}

/** Least width or height of a dragged box, in CSS pixels. A shorter drag is an unsteady click. */
const LEAST = 6

/** Returns a dragged box's times and nodes: all shown nodes for a box below 6 pixels high, undefined below 6 wide. */
export function boxOf(
  { from, to }: Box,
  frame: Frame | undefined,
): { readonly times: Span; readonly nodes: Span } | undefined {
  if (frame === undefined || Math.abs(to.x - from.x) < LEAST) return undefined
  const perPixel = (frame.to - frame.from) / frame.width
  const timeAt = (x: number): number => frame.from + Math.max(0, Math.min(frame.width, x - GUTTER)) * perPixel
  const nodeAt = (y: number): number =>
    frame.firstNode +
    (Math.max(0, Math.min(frame.height, y - ROWS_TOP)) / frame.height) * (frame.endNode - frame.firstNode)
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)]
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)]
  const nodes =
    bottom - top < LEAST
      ? { from: frame.firstNode, to: frame.endNode }
      : { from: Math.floor(nodeAt(top)), to: Math.max(Math.floor(nodeAt(top)) + 1, Math.ceil(nodeAt(bottom))) }
  return { times: { from: timeAt(left), to: timeAt(right) }, nodes }
}
