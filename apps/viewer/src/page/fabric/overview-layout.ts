import type { Topology } from '@cloister/topology'

/** A rectangle, in CSS pixels. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Place of a pod: side by side, a picture of its held nodes and one of its free nodes on partly used leaves. */
export interface PodTile extends Rectangle {
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
