import type { Topology } from '@cloister/topology'
import { type Abgr, mix } from '../drawing/colors.ts'
import type { LeafUse } from '../../run/leaf-use.ts'
import { leafBox, type OverviewLayout, type Rectangle } from './overview-layout.ts'

/** Pixels of an image, row by row. `scale` is the number of image pixels for each CSS pixel. */
export interface Raster {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** Loudness (part of the warning colour) of the least share: even one free node on a partly used leaf must show. */
const LEAST_LOUD = 0.25

/** Returns the loudness of a share of free nodes on partly used leaves: 0 if the share is 0, else 0.25 to 1. */
export function loudness(share: number): number {
  return share <= 0 ? 0 : LEAST_LOUD + (1 - LEAST_LOUD) * Math.min(1, share)
}

/** Paints each pod or leaf: left the mean colour of its nodes, right the share of free nodes on partly used leaves. */
export function paintPods(
  raster: Raster,
  topology: Topology,
  layout: OverviewLayout,
  { partialLeafFree }: Pick<LeafUse, 'partialLeafFree'>,
  colorOf: (node: number) => Abgr,
  colors: { readonly none: Abgr; readonly partialLeafFree: Abgr },
): void {
  const { firstLeafOfPod, firstNodeOfLeaf } = topology
  const paintLeaves = (first: number, end: number, held: Rectangle, partial: Rectangle): void => {
    const [from, to] = [firstNodeOfLeaf[first], firstNodeOfLeaf[end]]
    let among = 0
    for (let leaf = first; leaf < end; leaf++) among += partialLeafFree[leaf]
    fill(raster, held, meanColor(from, to, colorOf))
    fill(raster, partial, mix(colors.none, colors.partialLeafFree, loudness(among / Math.max(1, to - from))))
  }
  for (const { pod, held, partialLeafFree: partial } of layout.tiles) {
    const [first, end] = [firstLeafOfPod[pod], firstLeafOfPod[pod + 1]]
    if (layout.leafColumns === 0) paintLeaves(first, end, held, partial)
    else
      for (let leaf = first; leaf < end; leaf++)
        paintLeaves(leaf, leaf + 1, leafBox(layout, held, leaf - first), leafBox(layout, partial, leaf - first))
  }
}

/** Returns the mean of the colours of the nodes from `from` to before `to`, channel by channel. */
export function meanColor(from: number, to: number, colorOf: (node: number) => Abgr): Abgr {
  let [red, green, blue] = [0, 0, 0]
  for (let node = from; node < to; node++) {
    const color = colorOf(node)
    red += color & 255
    green += (color >>> 8) & 255
    blue += (color >>> 16) & 255
  }
  const mean = (sum: number): number => Math.round(sum / Math.max(1, to - from))
  return ((255 << 24) | (mean(blue) << 16) | (mean(green) << 8) | mean(red)) >>> 0
}

function fill({ pixels, width, height, scale }: Raster, box: Rectangle, color: Abgr): void {
  const [left, right] = [box.x, box.x + box.width].map((x) => Math.min(width, Math.round(x * scale)))
  const [top, bottom] = [box.y, box.y + box.height].map((y) => Math.min(height, Math.round(y * scale)))
  for (let y = top; y < bottom; y++) pixels.fill(color, y * width + left, y * width + right)
}
