import type { Topology } from '@cloister/topology'

/** A square of the fabric's picture: a node, or a cable to the level above. */
export type Square =
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'link'; readonly level: number; readonly sw: number; readonly port: number; readonly link: number }

/** A matrix: a row for each of some switches, a column for each of its nodes or up-ports; or a single switch that is too wide for that, row after row. */
interface Matrix {
  readonly kind: 'nodes' | 'links'
  readonly title: string
  readonly level: number
  readonly firstSwitch: number
  /** Rows that each switch takes. */
  readonly folds: number
  readonly rows: number
  readonly columns: number
  /** In squares, from the block's left. */
  readonly left: number
}

/** Matrices side by side: those of a pod, or of a level of switches above the pods. */
interface Block {
  readonly title: string
  readonly pod: number | undefined
  readonly matrices: ReadonlyArray<Matrix>
  readonly columns: number
  readonly rows: number
}

interface Placed extends Block {
  /** CSS pixels. */
  readonly x: number
  readonly y: number
}

export interface FabricLayout {
  /** Side of a square, CSS pixels. */
  readonly side: number
  readonly blocks: ReadonlyArray<Placed>
  readonly width: number
  readonly height: number
  /** Whether all of it fits the given size. */
  readonly fits: boolean
}

/** Squares between two matrices of a block. */
const MATRIX_GAP = 1
const BLOCK_GAP = 8
const TITLE = 13
/** Nodes or cables of a switch that are drawn in one row at most: beyond that every leaf is a block of its own. */
const WIDEST_ROW = 64

/**
 * Where everything is drawn, as large as fits: the nodes of each leaf, its cables to the L2 switches and theirs to the spines,
 * pod by pod; further levels below.
 *
 * @param pod the only one to draw
 * @param withLinks whether cables are drawn too
 */
export function layOut(
  topology: Topology,
  width: number,
  height: number,
  pod: number | undefined,
  withLinks: boolean,
): FabricLayout {
  const pods = pod === undefined ? Array.from({ length: topology.pods }, (_, each) => each) : [pod]
  const blocks = [
    ...pods.flatMap((each) => blocksOf(topology, each, withLinks)),
    ...(withLinks && pod === undefined ? upperBlocks(topology) : []),
  ]
  let layout: FabricLayout | undefined
  for (let side = pod === undefined ? 14 : 28; side >= 1 && layout?.fits !== true; side--)
    layout = place(blocks, width, height, side)
  return layout!
}

/** The square at a point; undefined between squares. */
export function squareAt(topology: Topology, { blocks, side }: FabricLayout, x: number, y: number): Square | undefined {
  for (const block of blocks) {
    const row = Math.floor((y - block.y - TITLE) / side)
    if (x < block.x || row < 0 || row >= block.rows) continue
    for (const matrix of block.matrices) {
      const column = Math.floor((x - block.x) / side - matrix.left)
      if (column >= 0 && column < matrix.columns && row < matrix.rows) return squareOf(topology, matrix, row, column)
    }
  }
  return undefined
}

/** Every square, with its position in CSS pixels. */
export function* squares(
  topology: Topology,
  { blocks, side }: FabricLayout,
): Generator<Square & { readonly x: number; readonly y: number }, void> {
  for (const block of blocks) {
    for (const matrix of block.matrices) {
      for (let row = 0; row < matrix.rows; row++) {
        for (let column = 0; column < matrix.columns; column++) {
          const found = squareOf(topology, matrix, row, column)
          if (found !== undefined)
            yield { ...found, x: block.x + (matrix.left + column) * side, y: block.y + TITLE + row * side }
        }
      }
    }
  }
}

function squareOf(
  topology: Topology,
  { kind, level, firstSwitch, folds, columns }: Matrix,
  row: number,
  column: number,
): Square | undefined {
  const sw = firstSwitch + Math.floor(row / folds)
  const port = (row % folds) * columns + column
  if (kind === 'nodes') {
    const node = topology.firstNodeOfLeaf[sw] + port
    return node < topology.firstNodeOfLeaf[sw + 1] ? { kind: 'node', node } : undefined
  }
  const { firstPort } = topology.levels[level]
  const link = firstPort[sw] + port
  return link < firstPort[sw + 1] ? { kind: 'link', level, sw, port, link } : undefined
}

/** A pod is a block; one of very wide leaves has a block for each of them. */
function blocksOf(topology: Topology, pod: number, withLinks: boolean): ReadonlyArray<Block> {
  const { firstLeafOfPod, firstL2OfPod, firstNodeOfLeaf } = topology
  const [firstLeaf, endLeaf] = [firstLeafOfPod[pod], firstLeafOfPod[pod + 1]]
  const ofLeaves = (first: number, end: number): ReadonlyArray<Matrix> => [
    matrix('nodes', 'nodes', firstNodeOfLeaf, 0, first, end),
    ...(withLinks ? [upLinks(topology, 0, first, end, 'leaf to L2')] : []),
  ]
  const ofL2 = withLinks ? [upLinks(topology, 1, firstL2OfPod[pod], firstL2OfPod[pod + 1], 'L2 to spine')] : []
  if (widest(firstNodeOfLeaf, firstLeaf, endLeaf) <= WIDEST_ROW)
    return [block(`pod ${pod}`, pod, [...ofLeaves(firstLeaf, endLeaf), ...ofL2])]
  const leaves = Array.from({ length: endLeaf - firstLeaf }, (_, at) => firstLeaf + at)
  return [
    ...leaves.map((leaf) => block(`leaf${leaf}`, pod, ofLeaves(leaf, leaf + 1))),
    block(`L2 of pod ${pod}`, pod, ofL2),
  ].filter(({ matrices }) => matrices.length > 0)
}

/** Levels above the L2 switches, but the top one, which has no cables up. */
function upperBlocks(topology: Topology): ReadonlyArray<Block> {
  return topology.levels
    .slice(2, -1)
    .map(({ switches }, at) => block(`level ${at + 3}`, undefined, [upLinks(topology, at + 2, 0, switches, 'up')]))
}

function upLinks({ levels }: Topology, level: number, first: number, end: number, title: string): Matrix {
  return matrix('links', title, levels[level]?.firstPort ?? new Int32Array(end + 1), level, first, end)
}

/** @param firstOf where the nodes or ports of each switch begin */
function matrix(
  kind: Matrix['kind'],
  title: string,
  firstOf: Int32Array,
  level: number,
  first: number,
  end: number,
): Matrix {
  const most = widest(firstOf, first, end)
  // Nearly square, so that many of them fit next to one another.
  const columns = most <= WIDEST_ROW ? most : Math.ceil(Math.sqrt(most))
  const folds = Math.ceil(most / Math.max(1, columns))
  return { kind, title, level, firstSwitch: first, folds, rows: (end - first) * folds, columns, left: 0 }
}

function block(title: string, pod: number | undefined, matrices: ReadonlyArray<Matrix>): Block {
  let left = 0
  const placed = matrices
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map((each) => {
      const at = { ...each, left }
      left += each.columns + MATRIX_GAP
      return at
    })
  return { title, pod, matrices: placed, columns: left - MATRIX_GAP, rows: Math.max(...placed.map(({ rows }) => rows)) }
}

function place(blocks: ReadonlyArray<Block>, width: number, height: number, side: number): FabricLayout {
  let [x, y, rowHeight, right] = [0, 0, 0, 0]
  const placed = blocks.map((each): Placed => {
    const [across, down] = [each.columns * side, each.rows * side + TITLE]
    if (x > 0 && x + across > width) {
      x = 0
      y += rowHeight + BLOCK_GAP
      rowHeight = 0
    }
    const at = { ...each, x, y }
    right = Math.max(right, x + across)
    x += across + BLOCK_GAP
    rowHeight = Math.max(rowHeight, down)
    return at
  })
  return { side, blocks: placed, width: right, height: y + rowHeight, fits: right <= width && y + rowHeight <= height }
}

function widest(first: Int32Array, from: number, end: number): number {
  let most = 0
  for (let at = from; at < end; at++) most = Math.max(most, first[at + 1] - first[at])
  return most
}
