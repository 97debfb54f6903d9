import { lowerBound } from '@cloister/topology'
import { type Signal, signal } from '@preact/signals'
import { type Abgr, mix } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { colorBy } from '../state/view-state.ts'
import { paintHeat } from './heat-raster.ts'
import { occupancyOf } from './occupancy.ts'
import type { Frame } from './raster.ts'
import { type PartialLeafFreeSteps, partialLeafFreeShares, partialLeafFreeSteps } from './partial-leaf-free-steps.ts'

/** Least height of a row of pods that are drawn as heat, in CSS pixels. */
const HEAT_ROW = 4

/** Returns true if pods are drawn as heat: in colours by job, if a leaf is lower than a CSS pixel. */
export function hasHeat({ topology: { nodes, leaves } }: RunClient, { height, firstNode, endNode }: Frame): boolean {
  return colorBy.value === 'job' && (height / (endNode - firstNode)) * (nodes / leaves) < 1
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
