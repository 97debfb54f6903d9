import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { freshContext, type Size } from '../drawing/canvas.ts'
import { type Abgr, css, mix, themeColor } from '../drawing/colors.ts'
import { GUTTER, ROWS_TOP } from '../drawing/measures.ts'
import type { Frame } from './raster.ts'

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
