import { switchName, type Topology } from '@cloister/topology'

/** A square of the fabric's picture: a node, or a cable to the level above. */
export type Square =
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'link'; readonly level: number; readonly sw: number; readonly port: number; readonly link: number }

/** Squares in rows: the nodes of a leaf, or the cables up of a switch, in a row. More than 64 take several rows. */
interface Matrix {
  readonly kind: 'nodes' | 'links'
  readonly title: string
  readonly level: number
  readonly firstSwitch: number
  /** Number of rows of squares of each switch. */
  readonly folds: number
  readonly rows: number
  readonly columns: number
}

/** Matrices of squares side by side: of a pod, of a part of a pod with large leaves, or of a level above the pods. */
interface Block {
  readonly title: string
  readonly pod: number | undefined
  readonly matrices: ReadonlyArray<Matrix>
  readonly columns: number
  readonly rows: number
}

/** Matrix of squares at its place in a layout. */
export interface PlacedMatrix extends Matrix {
  /** Left edge of the matrix, in CSS pixels. */
  readonly x: number
}

interface Placed extends Block {
  readonly matrices: ReadonlyArray<PlacedMatrix>
  readonly x: number
  readonly y: number
}

/** Width and height of a square (a node or a cable), in CSS pixels. */
export interface Cell {
  readonly across: number
  readonly down: number
}

/** Places of all nodes and cables of a fabric; `fits` is true if the layout fits into the pane. */
export interface FabricLayout extends Cell {
  readonly blocks: ReadonlyArray<Placed>
  /** True if the names of switches stand left of the rows of squares. */
  readonly namesRows: boolean
  readonly width: number
  readonly height: number
  readonly fits: boolean
}

/** Gap between two matrices of a block. All lengths in this file are in CSS pixels. */
const MATRIX_GAP = 4
const BLOCK_GAP = 8
/** Height of the title of a block, in CSS pixels. */
export const TITLE = 15
/** Estimated width of a letter in a title. */
const LETTER = 7.5
/** Width of the space for the names of switches. */
export const ROW_NAME = 52
/** Greatest extra gap between two blocks or two matrices. Extra gaps spread a layout over the pane. */
const SPREAD = 32
const [WIDEST_CELL, WIDEST_OF_ALL] = [40, 24]
/** Greatest ratio of the longer to the shorter side of a square. */
const STRETCH = 2.5
/** Most nodes or cables of a switch in a row of squares. If a leaf has more nodes, each leaf of its pod is a block. */
const WIDEST_ROW = 64

/**
 * Lays out the fabric with the largest squares that fit into the pane. Each pod has the nodes of its leaves, the cables
 * from leaves to L2 switches, and the cables from L2 switches to spines. The cables of higher levels follow.
 *
 * @param pod the only pod to draw; undefined for all pods
 * @param cell size of all squares; if absent, the largest size that fits
 */
export function layOut(
  topology: Topology,
  width: number,
  height: number,
  pod: number | undefined,
  withLinks: boolean,
  cell?: Cell,
): FabricLayout {
  const pods = pod === undefined ? Array.from({ length: topology.pods }, (_, each) => each) : [pod]
  const blocks = [
    ...pods.flatMap((each) => blocksOf(topology, each, withLinks)),
    ...(withLinks && pod === undefined ? upperBlocks(topology) : []),
  ]
  const namesRows = pod !== undefined && blocks.length === 1
  const shape: Shape = { blocks, width, height, namesRows }
  if (cell !== undefined) return spread(shape, place(shape, cell))
  let side = pod === undefined ? WIDEST_OF_ALL : WIDEST_CELL
  while (side > 1 && !place(shape, { across: side, down: side }).fits) side--
  return spread(shape, place(shape, stretched(shape, side)))
}

interface Shape {
  readonly blocks: ReadonlyArray<Block>
  readonly width: number
  readonly height: number
  readonly namesRows: boolean
}

/** Returns the largest size of squares, at least `side` in both directions, with which all blocks fit into the pane. */
function stretched(shape: Shape, side: number): Cell {
  let best: Cell = { across: side, down: side }
  const most = Math.floor(side * STRETCH)
  for (let across = side; across <= most; across++)
    for (let down = most; down >= side; down--) {
      const cell = { across, down }
      if (Math.max(across / down, down / across) > STRETCH || !place(shape, cell).fits) continue
      if (across * down > best.across * best.down) best = cell
      break
    }
  return best
}

/** Returns the node or cable whose square has a point of the layout; undefined if the point lies in no square. */
export function squareAt(
  topology: Topology,
  { blocks, across, down }: FabricLayout,
  x: number,
  y: number,
): Square | undefined {
  for (const block of blocks) {
    const row = Math.floor((y - block.y - TITLE) / down)
    if (x < block.x || row < 0 || row >= block.rows) continue
    for (const matrix of block.matrices) {
      const column = Math.floor((x - matrix.x) / across)
      if (column >= 0 && column < matrix.columns && row < matrix.rows) return squareOf(topology, matrix, row, column)
    }
  }
  return undefined
}

/** Yields each square of a layout (a node or a cable) with the position of its upper left corner, in CSS pixels. */
export function* squares(
  topology: Topology,
  { blocks, across, down }: FabricLayout,
): Generator<Square & { readonly x: number; readonly y: number }, void> {
  for (const block of blocks) {
    for (const matrix of block.matrices) {
      for (let row = 0; row < matrix.rows; row++) {
        for (let column = 0; column < matrix.columns; column++) {
          const found = squareOf(topology, matrix, row, column)
          if (found !== undefined) yield { ...found, x: matrix.x + column * across, y: block.y + TITLE + row * down }
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

/** Returns a pod's block; if a leaf of the pod has over 64 nodes, a block for each leaf and one for the L2 switches. */
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
    ...leaves.map((leaf) => block(switchName(topology, 0, leaf), pod, ofLeaves(leaf, leaf + 1))),
    block(`L2 of pod ${pod}`, pod, ofL2),
  ].filter(({ matrices }) => matrices.length > 0)
}

/** Returns a block for each level above the L2 switches, except for the top level, which has no cables up. */
function upperBlocks(topology: Topology): ReadonlyArray<Block> {
  return topology.levels
    .slice(2, -1)
    .map(({ switches }, at) => block(`level ${at + 3}`, undefined, [upLinks(topology, at + 2, 0, switches, 'up')]))
}

function upLinks({ levels }: Topology, level: number, first: number, end: number, title: string): Matrix {
  return matrix('links', title, levels[level]?.firstPort ?? new Int32Array(end + 1), level, first, end)
}

/** Returns the squares of the switches `first` to `end` - 1. @param firstOf each switch's first node or cable up */
function matrix(
  kind: Matrix['kind'],
  title: string,
  firstOf: Int32Array,
  level: number,
  first: number,
  end: number,
): Matrix {
  const most = widest(firstOf, first, end)
  // The nodes or cables of a large switch form nearly a square, so that many matrices fit next to each other.
  const columns = most <= WIDEST_ROW ? most : Math.ceil(Math.sqrt(most))
  const folds = Math.ceil(most / Math.max(1, columns))
  return { kind, title, level, firstSwitch: first, folds, rows: (end - first) * folds, columns }
}

function block(title: string, pod: number | undefined, all: ReadonlyArray<Matrix>): Block {
  const matrices = all.filter(({ columns, rows }) => columns > 0 && rows > 0)
  const columns = matrices.reduce((sum, each) => sum + each.columns, 0)
  return { title, pod, matrices, columns, rows: Math.max(...matrices.map(({ rows }) => rows)) }
}

function place({ blocks, width, height, namesRows }: Shape, { across, down }: Cell): FabricLayout {
  let [x, y, rowHeight, right] = [0, 0, 0, 0]
  const placed = blocks.map((each): Placed => {
    const names = namesRows ? rowNames(each).filter(Boolean).length : 0
    const cells = each.columns * across + (each.matrices.length - 1) * MATRIX_GAP + names * ROW_NAME
    const wide = Math.max(cells, blocks.length > 1 ? each.title.length * LETTER : 0)
    if (x > 0 && x + wide > width) {
      x = 0
      y += rowHeight + BLOCK_GAP
      rowHeight = 0
    }
    const at = { ...each, x, y, matrices: inBlock(each, x, across, namesRows) }
    right = Math.max(right, x + wide)
    x += wide + BLOCK_GAP
    rowHeight = Math.max(rowHeight, each.rows * down + TITLE)
    return at
  })
  const fits = right <= width && y + rowHeight <= height
  return { across, down, blocks: placed, namesRows, width: right, height: y + rowHeight, fits }
}

/** Returns true for each matrix with names of switches at its left: the first matrix of each level of switches. */
export function rowNames({ matrices }: Pick<Block, 'matrices'>): ReadonlyArray<boolean> {
  const levelOf = ({ kind, level }: Matrix): number => (kind === 'nodes' ? 0 : level)
  return matrices.map((each, at) => at === 0 || levelOf(each) !== levelOf(matrices[at - 1]))
}

function inBlock(block: Block, left: number, across: number, namesRows: boolean): ReadonlyArray<PlacedMatrix> {
  const named = rowNames(block)
  let x = left
  return block.matrices.map((matrix, at) => {
    if (namesRows && named[at]) x += ROW_NAME
    const placed = { ...matrix, x }
    x += matrix.columns * across + MATRIX_GAP
    return placed
  })
}

/** Moves the blocks of a layout, or the matrices of one block, apart to fill the pane: at most 32 pixels a gap. */
function spread({ width, height }: Shape, layout: FabricLayout): FabricLayout {
  const { blocks, fits } = layout
  if (!fits || blocks.length === 0) return layout
  if (blocks.length === 1) {
    const [only] = blocks
    const apart = share(width - layout.width, only.matrices.length)
    return {
      ...layout,
      blocks: [{ ...only, matrices: only.matrices.map((each, at) => ({ ...each, x: each.x + at * apart })) }],
    }
  }
  const [lefts, tops] = [blocks.map(({ x }) => x), blocks.map(({ y }) => y)].map((all) =>
    [...new Set(all)].toSorted((a, b) => a - b),
  )
  const [apart, below] = [share(width - layout.width, lefts.length), share(height - layout.height, tops.length)]
  // If blocks are unequally wide, their rows have no common columns, and no block moves to the right.
  let column = 0
  const moved = blocks.map((each, at): Placed => {
    column = at > 0 && blocks[at - 1].y === each.y ? column + 1 : 0
    const by = lefts.length > mostInRow(blocks) ? 0 : column * apart
    return {
      ...each,
      x: each.x + by,
      y: each.y + tops.indexOf(each.y) * below,
      matrices: each.matrices.map((matrix) => ({ ...matrix, x: matrix.x + by })),
    }
  })
  return { ...layout, blocks: moved }
}

function share(over: number, parts: number): number {
  return parts < 2 ? 0 : Math.min(SPREAD, Math.floor(over / (parts - 1)))
}

function mostInRow(blocks: ReadonlyArray<Placed>): number {
  const counts = new Map<number, number>()
  for (const { y } of blocks) counts.set(y, (counts.get(y) ?? 0) + 1)
  return Math.max(...counts.values())
}

function widest(first: Int32Array, from: number, end: number): number {
  let most = 0
  for (let at = from; at < end; at++) most = Math.max(most, first[at + 1] - first[at])
  return most
}
