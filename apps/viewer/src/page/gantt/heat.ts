import { lowerBound } from '@cloister/topology'
import { type Signal, signal } from '@preact/signals'
import { AmountsOverTime } from '../../run/link-use.ts'
import { type Abgr, mix } from '../drawing/colors.ts'
import { scaledRuns } from '../state/comparison.ts'
import type { RunClient } from '../state/run-client.ts'
import { colorBy } from '../state/view-state.ts'
import type { Frame, SpanColumns } from './layers.ts'
import { partialLeafFreeShares, type PartialLeafFreeSteps, partialLeafFreeSteps } from './partial-leaf-free.ts'

/** Least height of a row of pods that are drawn as heat, in CSS pixels. */
export const HEAT_ROW = 4

/** Returns true if pods are drawn as heat: in colours by job, if a leaf of a shown run is lower than a CSS pixel. */
export function hasHeat(run: RunClient, { height, firstNode, endNode }: Frame): boolean {
  const perNode = height / (endNode - firstNode)
  return (
    colorBy.value === 'job' &&
    [run, ...scaledRuns.value].some(({ topology: { nodes, leaves } }) => perNode * (nodes / leaves) < 1)
  )
}

/** True if the chart of jobs that was drawn last shows pods as heat. */
export const heatShown: Signal<boolean> = signal(false)

/** Draws a row for each pod or band of pods: the share of held nodes, below it of free nodes on partly used leaves. */
export function drawHeat(
  run: RunClient,
  frame: Frame,
  scale: number,
  now: number,
  { held, partialLeafFree: loud }: { readonly held: Abgr; readonly partialLeafFree: Abgr },
  pixels: Uint32Array,
): void {
  const bands = bandsOf(run, frame, HEAT_ROW * scale)
  const ends = bands.map(({ first }) => first)
  ends.push(run.topology.nodes)
  const steps = stepsOf(run)
  const partialLeafFree = bands.map(({ pods: [from, end], nodes }) =>
    steps === undefined ? undefined : partialLeafFreeShares(steps, from, end, nodes, frame),
  )
  paintHeat(
    frame,
    ends,
    occupancyOf(run, frame, ends, now),
    partialLeafFree,
    held,
    (share) => mix(held, loud, share),
    pixels,
  )
}

/** Describes in words the use of the pods whose row shows a node, at a time. */
export function heatInWords(run: RunClient, frame: Frame, t: number, node: number): string {
  const bands = bandsOf(run, frame, HEAT_ROW)
  const { first, nodes, pods } = bands[lowerBound(bands.length, (at) => bands[at].first <= node) - 1]
  const pixel = (frame.to - frame.from) / frame.width
  const column = { from: t - pixel / 2, to: t + pixel / 2, width: 1 }
  const [held] = occupancyOf(run, column, [first, first + nodes], run.overview.value!.lastTime)
  const steps = stepsOf(run)
  const partialLeafFree = steps === undefined ? Number.NaN : partialLeafFreeShares(steps, ...pods, nodes, column)[0]
  const name = pods[1] - pods[0] === 1 ? `pod ${pods[0]}` : `pods ${pods[0]} to ${pods[1] - 1}`
  const free = Number.isNaN(partialLeafFree)
    ? ''
    : `, ${(100 * partialLeafFree).toFixed(1)} % free on partly used leaves`
  return `${name}: ${(100 * held).toFixed(1)} % held${free}`
}

/** Pods in one row of heat: their first node, their number of nodes, and the pods from `from` to before `end`. */
interface Band {
  readonly first: number
  readonly nodes: number
  readonly pods: readonly [from: number, end: number]
}

/** Returns bands of pods. A band has the fewest pods with which its row is at least `least` pixels high. */
export function bandsOf(
  { topology }: RunClient,
  { height, firstNode, endNode }: Frame,
  least: number,
): ReadonlyArray<Band> {
  const { nodes, pods, firstLeafOfPod, firstNodeOfLeaf } = topology
  const perPod = ((height / (endNode - firstNode)) * nodes) / pods
  const every = Math.max(1, Math.ceil(least / perPod))
  const firstNodeOf = (pod: number): number => firstNodeOfLeaf[firstLeafOfPod[pod]]
  return Array.from({ length: Math.ceil(pods / every) }, (_, at): Band => {
    const [from, end] = [at * every, Math.min(pods, (at + 1) * every)]
    return { first: firstNodeOf(from), nodes: firstNodeOf(end) - firstNodeOf(from), pods: [from, end] }
  })
}

/** Cache of `PartialLeafFreeSteps`, by the run's column `starts`, because a replaced log has a new column. */
const known = new WeakMap<
  RunClient['starts'],
  { readonly version: number; readonly spans: number; readonly steps: PartialLeafFreeSteps }
>()
/** Growth of a run's number of spans after which its `PartialLeafFreeSteps` are computed again, from all spans. */
const GROWTH = 1.05

function stepsOf(run: RunClient): PartialLeafFreeSteps | undefined {
  const { lastTime, status } = run.overview.value!
  const [version, found] = [run.version.peek(), known.get(run.starts)]
  if (found !== undefined && (found.version === version || (status === 'written' && run.spans < GROWTH * found.spans)))
    return found.steps
  if (status === 'reading') return undefined
  const steps = partialLeafFreeSteps(run.topology, run, run.outages, lastTime)
  known.set(run.starts, { version, spans: run.spans, steps })
  return steps
}

/** Share of the height of a pod's row that shows free nodes on partly used leaves. */
const PARTIAL_LEAF_FREE_PART = 0.3

/** Upper bounds of bins of the share of free nodes on partly used leaves. Bounds double: most shares are small. */
export const partialLeafFreeBounds: ReadonlyArray<number> = [0.01, 0.02, 0.04, 0.08, 0.16]

/** Returns the part (0 to 1) of the warning colour for a share of free nodes on partly used leaves; 0 for NaN. */
export function partialLeafFreeLoudness(share: number): number {
  if (!(share > 0)) return 0
  const above = partialLeafFreeBounds.filter((bound) => share > bound).length
  return (above + 1) / (partialLeafFreeBounds.length + 1)
}

/**
 * Paints a row for each band of nodes. The row's opacity shows the share of held nodes. The lower 30 % of the row show
 * the share of free nodes on partly used leaves, if this share is above 0.
 *
 * @param bands first node of each band, and the end of the last band
 * @param held share of held nodes of each band in each column of pixels, band after band
 * @param partialLeafFree share of free nodes on partly used leaves in each column, by band; undefined or NaN if unknown
 */
export function paintHeat(
  frame: Frame,
  bands: ReadonlyArray<number>,
  held: Float32Array,
  partialLeafFree: ReadonlyArray<Float64Array | undefined>,
  color: Abgr,
  colorOf: (loud: number) => Abgr,
  pixels: Uint32Array,
): void {
  const { width, height, firstNode, endNode } = frame
  const y = (node: number): number =>
    Math.max(0, Math.min(height, Math.round(((node - firstNode) / (endNode - firstNode)) * height)))
  for (let band = 0; band + 1 < bands.length; band++) {
    const [top, bottom] = [y(bands[band]), y(bands[band + 1])]
    const shares = partialLeafFree[band]
    const middle = shares === undefined ? bottom : bottom - Math.floor((bottom - top) * PARTIAL_LEAF_FREE_PART)
    for (let x = 0; x < width; x++) {
      const share = Math.round(255 * held[band * width + x])
      const above = ((share << 24) | (color & 0xffffff)) >>> 0
      const loud = partialLeafFreeLoudness(shares?.[x] ?? 0)
      const below = loud > 0 ? colorOf(loud) : above
      for (let row = top; row < bottom; row++) pixels[row * width + x] = row < middle ? above : below
    }
  }
}

/**
 * Returns the held share (0 to 1) of the node-time of each band of nodes in each column of pixels, band after band.
 *
 * @param bands first node of each band, and the end of the last band
 * @param now time in seconds that counts as the end of spans that still run
 */
export function occupancyOf(
  { spans, starts, ends, rangesFrom, ranges }: SpanColumns,
  { from, to, width }: Pick<Frame, 'from' | 'to' | 'width'>,
  bands: ReadonlyArray<number>,
  now: number,
): Float32Array {
  const count = bands.length - 1
  const amounts = new AmountsOverTime(count, width)
  const column = (t: number): number => Math.max(0, Math.min(width, ((t - from) / (to - from)) * width))
  for (let span = 0; span < spans; span++) {
    const end = Number.isNaN(ends.at(span)) ? now : ends.at(span)
    const [left, right] = [column(starts.at(span)), column(end)]
    if (left >= right) continue
    for (let at = rangesFrom.at(span); at < rangesFrom.at(span + 1); at += 2) {
      const [firstNode, endNode] = [ranges.at(at), ranges.at(at + 1) + 1]
      for (let band = bandOf(bands, firstNode); band < count && bands[band] < endNode; band++)
        amounts.add(band, left, right, Math.min(endNode, bands[band + 1]) - Math.max(firstNode, bands[band]))
    }
  }
  const shares = new Float32Array(count * width)
  for (let band = 0; band < count; band++)
    amounts.means(band, (x, nodes) => {
      shares[band * width + x] = Math.max(0, Math.min(1, nodes / (bands[band + 1] - bands[band])))
    })
  return shares
}

/** Returns the band of a node: 0 for a node before all bands, the number of bands for a node behind all bands. */
function bandOf(bands: ReadonlyArray<number>, node: number): number {
  let [low, high] = [0, bands.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bands[middle + 1] <= node) low = middle + 1
    else high = middle
  }
  return low
}
