import { type FabricLayout, layOut } from '@cloister/figures'
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Size } from '../drawing/canvas.tsx'
import { panels } from '../extensions.ts'
import { otherRun } from '../state/comparison.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, runs } from '../state/session.ts'
import { differences, pod, tab } from '../state/view-state.ts'
import { drawsLinks } from './fabric-drawing.ts'
import { layOutPods, type OverviewLayout } from './pods.ts'

/** The runs with a shown fabric: the active run, or both compared runs while a view compares runs. */
export const shownFabrics: ReadonlySignal<ReadonlyArray<RunClient>> = computed(() => {
  const [first, other] = [runs.value[0], otherRun.value]
  const comparesRuns = differences.value || panels.value.find(({ name }) => name === tab.value)?.comparesRuns === true
  const wanted = comparesRuns && other !== undefined ? [first, other] : [activeRun.value]
  return wanted.filter((run): run is RunClient => run?.overview.value !== undefined)
})

/** Size of the pane of each shown fabric, in CSS pixels. */
export const fabricSizes: Signal<ReadonlyMap<RunClient, Size>> = signal(new Map())

/** If squares in a picture of all pods would be narrower or lower (in CSS pixels), every pod is drawn as a whole. */
const LEAST_SQUARE = 3

/** Layout of a fabric: of nodes and cables, or of pods as a whole. */
export interface ShownFabric {
  readonly pod: number | undefined
  /** Layout of nodes and cables; undefined if pods are drawn as a whole. */
  readonly parts: FabricLayout | undefined
  readonly pods: OverviewLayout
}

/**
 * Returns the layout of a run's fabric. All shown fabrics have the same encoding and scale: cables if one of the
 * policies allocates links, squares of the size that fits all panes, and pods as a whole if the squares of one machine
 * would be too small.
 */
export function shownOf(run: RunClient): ShownFabric {
  const shown = shownFabrics.value.includes(run) ? shownFabrics.value : [run]
  const sizes = shown.flatMap((each) => fabricSizes.value.get(each) ?? [])
  const [width, height] = [
    Math.min(Infinity, ...sizes.map((size) => size.width)),
    Math.min(Infinity, ...sizes.map((size) => size.height)),
  ]
  if (!Number.isFinite(width)) return { pod: undefined, parts: undefined, pods: layOutPods(run.topology, 0, 0) }
  const withLinks = shown.some(drawsLinks)
  const layouts = shown.map((each) => layoutsOf(each, width, height, withLinks))
  const own = layouts[shown.indexOf(run)]
  const only =
    pod.value !== undefined && shown.every(({ topology }) => pod.value! < topology.pods) ? pod.value : undefined
  const all = layouts.map((each) => each.parts(only))
  const cell = { across: Math.min(...all.map(({ across }) => across)), down: Math.min(...all.map(({ down }) => down)) }
  const isClear =
    only !== undefined ||
    all.every(
      ({ fits }, at) => shown[at].topology.pods === 1 || (fits && Math.min(cell.across, cell.down) >= LEAST_SQUARE),
    )
  const largest = own.parts(only)
  const parts =
    largest.across === cell.across && largest.down === cell.down
      ? largest
      : layOut(run.topology, width, height, only, withLinks, cell)
  return { pod: only, parts: isClear ? parts : undefined, pods: own.pods() }
}

interface Layouts {
  readonly key: string
  readonly parts: (pod: number | undefined) => FabricLayout
  readonly pods: () => OverviewLayout
}

/** Cache of layouts. Every move of the cursor needs the layouts, which change with the pane's size or the log only. */
const known = new WeakMap<RunClient, Layouts>()

function layoutsOf(run: RunClient, width: number, height: number, withLinks: boolean): Layouts {
  const key = [run.overview.value?.generation, withLinks, width, height].join()
  const found = known.get(run)
  if (found?.key === key) return found
  const parts = new Map<number | undefined, FabricLayout>()
  let pods: OverviewLayout | undefined
  const layouts: Layouts = {
    key,
    parts: (only) => {
      const layout = parts.get(only) ?? layOut(run.topology, width, height, only, withLinks)
      parts.set(only, layout)
      return layout
    },
    pods: () => (pods ??= layOutPods(run.topology, width, height)),
  }
  known.set(run, layouts)
  return layouts
}
