import type { RoutedPath } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { LeafUse } from '../../run/moment.ts'
import { freshContext, type Size } from '../drawing/canvas.tsx'
import { type Abgr, css, mix, themeColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { drawnPath } from '../state/shown-routes.ts'
import { drawPath, leafUseOf, nodeColors } from './fabric-drawing.ts'

/** A rectangle, in CSS pixels. */
interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Place of a pod: side by side, a picture of its held nodes and one of its free nodes on partly used leaves. */
interface PodTile extends Rectangle {
  readonly pod: number
  readonly held: Rectangle
  readonly partialLeafFree: Rectangle
}

export interface OverviewLayout {
  readonly tiles: ReadonlyArray<PodTile>
  /** True if every pod has its name above; false if only the first pod of a row of pods has a name, at its left. */
  readonly namesAll: boolean
  /** Columns of leaves in a pod's pictures; 0 if leaves are too small, so that each picture has a single colour. */
  readonly leafColumns: number
  readonly leafRows: number
}

const GAP = 6
const NAME_HEIGHT = 15
const NAME_WIDTH = 46
/** Least width and height of a pod with a name above, in CSS pixels. */
const [NAMED_WIDTH, NAMED_HEIGHT] = [44, 26]
/** Least width and height of a drawn leaf, in CSS pixels. */
const LEAST_LEAF = 3
/** Gap between the two pictures of a pod, in CSS pixels. */
const HALVES = 2

/** Lays out every pod as a whole, as large as the pane allows; for machines whose nodes would be too small to draw. */
export function layOutPods(topology: Topology, width: number, height: number): OverviewLayout {
  const { pods } = topology
  let best: { readonly score: number; readonly columns: number; readonly namesAll: boolean } | undefined
  for (let columns = 1; columns <= pods; columns++)
    for (const namesAll of [true, false]) {
      const [across, down] = tileSize(pods, columns, width, height, namesAll)
      if (namesAll && (across < NAMED_WIDTH || down < NAMED_HEIGHT)) continue
      // The best layout has the largest pictures of pods. If every pod has its name above, the pictures may be lower by
      // the height of a name.
      const score = Math.min((across - HALVES) / 2, down - (namesAll ? NAME_HEIGHT : 0)) + (namesAll ? NAME_HEIGHT : 0)
      if (best === undefined || score > best.score) best = { score, columns, namesAll }
    }
  const { columns, namesAll } = best!
  const [across, down] = tileSize(pods, columns, width, height, namesAll)
  const [left, top] = namesAll ? [0, NAME_HEIGHT] : [NAME_WIDTH, 0]
  const half = Math.max(1, Math.floor((across - HALVES) / 2))
  const rows = Math.ceil(pods / columns)
  const size = { width: half, height: Math.max(1, down - top) }
  const tiles = Array.from({ length: pods }, (_, pod): PodTile => {
    const x = left + Math.floor((pod % columns) * ((width - left) / columns))
    const y = Math.floor(Math.floor(pod / columns) * (height / rows))
    return {
      pod,
      x,
      y,
      width: across,
      height: down,
      held: { x, y: y + top, ...size },
      partialLeafFree: { x: x + half + HALVES, y: y + top, ...size },
    }
  })
  return { tiles, namesAll, ...leafGrid(mostLeaves(topology), size) }
}

function tileSize(
  pods: number,
  columns: number,
  width: number,
  height: number,
  namesAll: boolean,
): readonly [across: number, down: number] {
  const rows = Math.ceil(pods / columns)
  const [across, down] = [(width - (namesAll ? 0 : NAME_WIDTH)) / columns, height / rows]
  return [Math.max(3, Math.floor(across) - gapOf(across)), Math.max(1, Math.floor(down) - gapOf(down))]
}

/** Returns the gap behind a pod of a length, in CSS pixels: wide gaps between small pods would fill the picture. */
function gapOf(length: number): number {
  return length >= 20 ? GAP : length >= 6 ? 2 : 1
}

/** Returns the columns and rows in which the leaves of a pod are largest; zeros if a leaf would be below 3 pixels. */
function leafGrid(
  leaves: number,
  { width, height }: { readonly width: number; readonly height: number },
): Pick<OverviewLayout, 'leafColumns' | 'leafRows'> {
  let [leafColumns, leafRows, most] = [0, 0, 0]
  for (let columns = 1; columns <= leaves; columns++) {
    const rows = Math.ceil(leaves / columns)
    const least = Math.min(width / columns, height / rows)
    if (least >= LEAST_LEAF && least > most) [leafColumns, leafRows, most] = [columns, rows, least]
  }
  return { leafColumns, leafRows }
}

function mostLeaves({ pods, firstLeafOfPod }: Topology): number {
  let most = 0
  for (let pod = 0; pod < pods; pod++) most = Math.max(most, firstLeafOfPod[pod + 1] - firstLeafOfPod[pod])
  return most
}

/** Returns the pod at a point, and the leaf at the point if leaves are drawn; undefined if the point lies in no pod. */
export function podAt(
  { firstLeafOfPod }: Topology,
  { tiles, leafColumns, leafRows }: OverviewLayout,
  x: number,
  y: number,
): { readonly pod: number; readonly leaf: number | undefined } | undefined {
  const tile = tiles.find((each) => contains(each, x, y))
  if (tile === undefined) return undefined
  const half = [tile.held, tile.partialLeafFree].find((each) => contains(each, x, y))
  if (half === undefined || leafColumns === 0) return { pod: tile.pod, leaf: undefined }
  const column = Math.floor(((x - half.x) / half.width) * leafColumns)
  const leaf = firstLeafOfPod[tile.pod] + Math.floor(((y - half.y) / half.height) * leafRows) * leafColumns + column
  return { pod: tile.pod, leaf: leaf < firstLeafOfPod[tile.pod + 1] ? leaf : undefined }
}

function contains(each: Rectangle, x: number, y: number): boolean {
  return x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + each.height
}

/** Returns the rectangle of a leaf within one picture (`half`) of its pod. @param at number of the leaf in the pod */
export function leafBox({ leafColumns, leafRows }: OverviewLayout, half: Rectangle, at: number): Rectangle {
  const [column, row] = [at % leafColumns, Math.floor(at / leafColumns)]
  const edge = (from: number, length: number, part: number, parts: number): number =>
    from + Math.round((part / parts) * length)
  const [x, right] = [column, column + 1].map((part) => edge(half.x, half.width, part, leafColumns))
  const [y, bottom] = [row, row + 1].map((part) => edge(half.y, half.height, part, leafRows))
  return { x, y, width: right - x, height: bottom - y }
}

/** Pixels of an image, row by row. `scale` is the number of image pixels for each CSS pixel. */
interface Raster {
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

/** Draws every pod at the cursor: left the nodes in the chosen colours, right the free nodes on partly used leaves. */
export function drawOverview(run: RunClient, canvas: HTMLCanvasElement, size: Size, layout: OverviewLayout): void {
  const context = freshContext(canvas, size)
  const { width, height } = canvas
  const image = context.createImageData(width, height)
  const raster = { pixels: new Uint32Array(image.data.buffer), width, height, scale: devicePixelRatio }
  const colors = { none: themeColor('--free'), partialLeafFree: themeColor('--partial-leaf-free') }
  const { nodeOwners } = run.moment.value!
  const colorOf = nodeColors(run)
  paintPods(raster, run.topology, layout, leafUseOf(run), (node) => colorOf(nodeOwners[node], node), colors)
  context.putImageData(image, 0, 0)
  context.textBaseline = 'top'
  context.fillStyle = css(themeColor('--muted'))
  let row = -1
  for (const { pod, x, y, width: across } of layout.tiles) {
    if (layout.namesAll) context.fillText(`pod ${pod}`, x, y, across)
    // The first pod of each row of pods has a name, unless this name would overlap the name above.
    else if (x === layout.tiles[0].x && (row < 0 || y - row >= 13)) {
      context.fillText(`pod ${pod}`, 0, Math.max(0, y - 1), x - 4)
      row = y
    }
  }
  if (drawnPath.value?.run === run) drawPath(context, podsOfPath(run.topology, layout, drawnPath.value.path))
}

/** Returns the middles of the pods of both ends of a path. */
function podsOfPath(
  { podOfLeaf, leafOfNode }: Topology,
  { tiles }: OverviewLayout,
  { from, to, lost }: RoutedPath,
): ReadonlyArray<{ readonly x: number; readonly y: number }> {
  return [from, ...(lost === null ? [to] : [])].map((node) => {
    const { held } = tiles[podOfLeaf[leafOfNode[node]]]
    return { x: held.x + held.width / 2, y: held.y + held.height / 2 }
  })
}
