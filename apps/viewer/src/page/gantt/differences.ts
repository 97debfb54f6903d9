import { type Abgr, mix, themeColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { bandsOf, HEAT_ROW, occupancyOf } from './heat.ts'
import { type Frame, paint } from './layers.ts'

/** Ways in which a run holds a node or link, compared with another run at the same time, and their colours. */
export const differenceKinds = {
  same: { color: '--same', about: 'the same job holds the node or link in both runs' },
  other: { color: '--other', about: 'another job holds the node or link in the other run' },
  only: { color: '--only', about: 'no job holds the node or link in the other run' },
} as const
type DifferenceKind = keyof typeof differenceKinds

/** Compares the holders of a node or link in two runs. @param theirs id of the other run's job; undefined for no job */
export function differenceOf(own: string, theirs: string | undefined): DifferenceKind {
  return theirs === undefined ? 'only' : theirs === own ? 'same' : 'other'
}

interface Drawing {
  /** Visible times and nodes, with the size in pixels of the image. */
  readonly fine: Frame
  /** Pixels of the image for each CSS pixel. */
  readonly scale: number
  readonly isHeat: boolean
}

/**
 * Paints the chart of a run's jobs in the colours of the differences to another run. Rows of heat show the share of
 * nodes that this run holds beyond the share that the other run holds.
 *
 * @param colors colours of the kinds of differences, in the order of `differenceKinds`
 */
export function paintDifferences(
  run: RunClient,
  other: RunClient,
  drawing: Drawing,
  pixels: Uint32Array,
  colors: ReadonlyArray<Abgr> = Object.values(differenceKinds).map(({ color }) => themeColor(color)),
): void {
  if (drawing.isHeat) paintHeatDifferences(run, other, drawing, pixels, colors)
  else paintBarDifferences(run, other, drawing.fine, pixels, colors)
}

function paintBarDifferences(
  run: RunClient,
  other: RunClient,
  fine: Frame,
  pixels: Uint32Array,
  [same, changed, only]: ReadonlyArray<Abgr>,
): void {
  // Pixel values are numbers of jobs in `run` plus 1. Jobs that only the other run has come after all jobs of `run`.
  const holders = (of: RunClient, numberOf: (job: number) => number): Uint32Array => {
    const image = new Uint32Array(pixels.length)
    paint(of, fine, of.overview.value!.lastTime, (span) => numberOf(of.spanJobs.at(span)) + 1, image)
    return image
  }
  const own = holders(run, (job) => job)
  const theirs = holders(other, (job) => run.numbers.get(other.ids[job]) ?? run.ids.length)
  for (let at = 0; at < pixels.length; at++)
    if (own[at] !== 0) pixels[at] = theirs[at] === own[at] ? same : theirs[at] === 0 ? only : changed
}

function paintHeatDifferences(
  run: RunClient,
  other: RunClient,
  { fine, scale }: Drawing,
  pixels: Uint32Array,
  [same, , only]: ReadonlyArray<Abgr>,
): void {
  const bands = bandsOf(run, fine, HEAT_ROW * scale)
  const edges = [...bands.map(({ first }) => first), run.topology.nodes]
  const [own, theirs] = [run, other].map((of) => occupancyOf(of, fine, edges, of.overview.value!.lastTime))
  const { width, height, firstNode, endNode } = fine
  const y = (node: number): number =>
    Math.max(0, Math.min(height, Math.round(((node - firstNode) / (endNode - firstNode)) * height)))
  for (let band = 0; band < bands.length; band++)
    for (let x = 0; x < width; x++) {
      const [here, there] = [own[band * width + x], theirs[band * width + x]]
      if (here === 0) continue
      const color = mix(same, only, Math.max(0, here - there))
      for (let row = y(edges[band]); row < y(edges[band + 1]); row++) pixels[row * width + x] = color
    }
}
