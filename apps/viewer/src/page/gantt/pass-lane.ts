import { type Abgr, backfilledColors, css, themeColor } from '../drawing/colors.ts'
import { GUTTER, PASS_LANE, TIME_AXIS } from '../drawing/measures.ts'
import { spanFlags } from '../../run/questions.ts'
import type { Frame } from './raster.ts'
import type { RunClient } from '../state/run-client.ts'

/** Number of started jobs in each column of pixels, and whether the column has a scheduling pass. */
export interface PassCounts {
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
