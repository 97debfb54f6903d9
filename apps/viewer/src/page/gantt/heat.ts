import { lowerBound } from '@cloister/topology'
import { type Signal, signal } from '@preact/signals'
import { type Abgr, mix } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { colorBy } from '../state/view-state.ts'
import { paintHeat } from './heat-raster.ts'
import { occupancyOf } from './occupancy.ts'
import type { Frame } from './raster.ts'
import { type StrandedSteps, strandedShares, strandedSteps } from './stranded-steps.ts'

/** Least height of a row of heat, in CSS pixels. */
const HEAT_ROW = 4

/** Returns true if pods are drawn as heat: leaves are smaller than pixels, so jobs cannot be told apart. */
export function hasHeat({ topology: { nodes, leaves } }: RunClient, { height, firstNode, endNode }: Frame): boolean {
  return colorBy.value === 'job' && (height / (endNode - firstNode)) * (nodes / leaves) < 1
}

/** True if the pods of a run are drawn as heat. */
export const heatShown: Signal<boolean> = signal(false)

/** Draws the held share of each pod, and below it the stranded share. */
export function drawHeat(
  run: RunClient,
  frame: Frame,
  scale: number,
  now: number,
  { held, stranded: loud }: { readonly held: Abgr; readonly stranded: Abgr },
  pixels: Uint32Array,
): void {
  const bands = bandsOf(run, frame, HEAT_ROW * scale)
  const ends = bands.map(({ first }) => first)
  ends.push(run.topology.nodes)
  const steps = stepsOf(run)
  const stranded = bands.map(({ pods: [from, end], nodes }) =>
    steps === undefined ? undefined : strandedShares(steps, from, end, nodes, frame),
  )
  paintHeat(frame, ends, occupancyOf(run, frame, ends, now), stranded, held, (share) => mix(held, loud, share), pixels)
}

/** Describes in words the pods at a time and a node. */
export function heatInWords(run: RunClient, frame: Frame, t: number, node: number): string {
  const bands = bandsOf(run, frame, HEAT_ROW)
  const { first, nodes, pods } = bands[lowerBound(bands.length, (at) => bands[at].first <= node) - 1]
  const pixel = (frame.to - frame.from) / frame.width
  const column = { from: t - pixel / 2, to: t + pixel / 2, width: 1 }
  const [held] = occupancyOf(run, column, [first, first + nodes], run.overview.value!.lastTime)
  const steps = stepsOf(run)
  const stranded = steps === undefined ? Number.NaN : strandedShares(steps, ...pods, nodes, column)[0]
  const name = pods[1] - pods[0] === 1 ? `pod ${pods[0]}` : `pods ${pods[0]} to ${pods[1] - 1}`
  const lost = Number.isNaN(stranded) ? '' : `, ${(100 * stranded).toFixed(1)} % stranded`
  return `${name}: ${(100 * held).toFixed(1)} % held${lost}`
}

/** Pods that share a row, and their nodes. `pods` has the first pod and the end. */
interface Band {
  readonly first: number
  readonly nodes: number
  readonly pods: readonly [from: number, end: number]
}

/** Returns bands of pods. A band has the fewest pods whose row has the least height. */
function bandsOf({ topology }: RunClient, { height, firstNode, endNode }: Frame, least: number): ReadonlyArray<Band> {
  const { nodes, pods, firstLeafOfPod, firstNodeOfLeaf } = topology
  const perPod = ((height / (endNode - firstNode)) * nodes) / pods
  const every = Math.max(1, Math.ceil(least / perPod))
  const firstNodeOf = (pod: number): number => firstNodeOfLeaf[firstLeafOfPod[pod]]
  return Array.from({ length: Math.ceil(pods / every) }, (_, at): Band => {
    const [from, end] = [at * every, Math.min(pods, (at + 1) * every)]
    return { first: firstNodeOf(from), nodes: firstNodeOf(end) - firstNodeOf(from), pods: [from, end] }
  })
}

/** Steps by the column of a run's starts. A new log in the place of an old one has a new column. */
const known = new WeakMap<
  RunClient['starts'],
  { readonly version: number; readonly spans: number; readonly steps: StrandedSteps }
>()
/** Growth after which the steps of a growing run are computed again. The computation visits all spans. */
const GROWTH = 1.05

/** Returns the steps of stranded nodes; undefined while the log is read. */
function stepsOf(run: RunClient): StrandedSteps | undefined {
  const { lastTime, status } = run.overview.value!
  const [version, found] = [run.version.peek(), known.get(run.starts)]
  if (found !== undefined && (found.version === version || (status === 'written' && run.spans < GROWTH * found.spans)))
    return found.steps
  if (status === 'reading') return undefined
  const steps = strandedSteps(run.topology, run, run.outages, lastTime)
  known.set(run.starts, { version, spans: run.spans, steps })
  return steps
}
