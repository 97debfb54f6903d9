import { type Abgr, backfilledColors, css, themeColor } from '../drawing/colors.ts'
import { GUTTER, PASS_LANE, TIME_AXIS } from '../drawing/measures.ts'
import { spanFlags } from '../../run/questions.ts'
import type { Frame } from './raster.ts'
import type { RunClient } from '../state/run-client.ts'

/** Starts and scheduling passes of each column of pixels. */
export interface PassCounts {
  /** Number of jobs that started in queue order. */
  readonly inTurn: Int32Array
  /** Number of jobs that were backfilled. */
  readonly backfilled: Int32Array
  /** 1 if an input caused a scheduling pass, else 0. */
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

/**
 * Draws the lane above the jobs. Each pixel has a bar of the jobs started in queue order and the backfilled jobs,
 * grey after a pass without starts.
 */
export function drawPasses(context: CanvasRenderingContext2D, run: RunClient, frame: Frame): void {
  const { inTurn, backfilled, looked } = countPasses(run, frame)
  const bottom = TIME_AXIS + PASS_LANE - 1
  const full = tall(inTurn.map((jobs, x) => jobs + backfilled[x]))
  // Heights follow the square root, so a pass with a single start is visible next to a pass with a hundred.
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

/**
 * Returns the number of starts that fills the height of the lane. Few passes exceed it, for example the first pass,
 * which fills the cluster.
 */
function tall(counts: Int32Array): number {
  const some = counts.filter((jobs) => jobs > 0).sort()
  return some[Math.floor(some.length * 0.95)] ?? 1
}
