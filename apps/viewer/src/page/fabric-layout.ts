import type { Topology } from '@cloister/topology'

/** A cell of the fabric's picture: a node, or a cable to the level above. */
export type Cell =
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'link'; readonly level: number; readonly sw: number; readonly port: number; readonly link: number }

/** A matrix: a row for each of some switches, a column for each of its nodes or up-ports. */
interface Matrix {
  readonly kind: 'nodes' | 'links'
  readonly level: number
  readonly firstSwitch: number
  readonly rows: number
  readonly columns: number
  /** In cells, from the block's left and top. */
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
  readonly cell: number
  readonly blocks: ReadonlyArray<Placed>
  readonly width: number
  readonly height: number
}

/** Cells between two matrices of a block. */
const MATRIX_GAP = 1.5
const BLOCK_GAP = 8
const TITLE = 13

/**
 * Where everything is drawn, as large as fits: the nodes of each leaf, its cables to the L2 switches and theirs to the spines,
 * pod by pod; further levels below.
 *
 * @param pod the only one to draw
 * @param withLinks whether cables are drawn too
 */
export function layOut(topology: Topology, width: number, height: number, pod: number | undefined, withLinks: boolean): FabricLayout {
  const blocks = pod === undefined
    ? [...Array.from({ length: topology.pods }, (_, each) => podBlock(topology, each, withLinks)), ...(withLinks ? upperBlocks(topology) : [])]
    : [podBlock(topology, pod, withLinks)]
  for (let cell = pod === undefined ? 14 : 28; cell > 1; cell--) {
    const placed = place(blocks, width, cell)
    if (placed.height <= height && placed.width <= width) return placed
  }
  return place(blocks, width, 1)
}

/** What is at a point; undefined between the cells. */
export function cellAt(topology: Topology, { blocks, cell }: FabricLayout, x: number, y: number): Cell | undefined {
  for (const block of blocks) {
    const row = Math.floor((y - block.y - TITLE) / cell)
    if (x < block.x || row < 0 || row >= block.rows) continue
    for (const matrix of block.matrices) {
      const column = Math.floor((x - block.x) / cell - matrix.left)
      if (column >= 0 && column < matrix.columns && row < matrix.rows) return cellOf(topology, matrix, row, column)
    }
  }
  return undefined
}

/** Every cell, with its place. */
export function* cells(topology: Topology, { blocks, cell }: FabricLayout): Generator<Cell & { readonly x: number; readonly y: number }, void> {
  for (const block of blocks) {
    for (const matrix of block.matrices) {
      for (let row = 0; row < matrix.rows; row++) {
        for (let column = 0; column < matrix.columns; column++) {
          const found = cellOf(topology, matrix, row, column)
          if (found !== undefined) yield { ...found, x: block.x + (matrix.left + column) * cell, y: block.y + TITLE + row * cell }
        }
      }
    }
  }
}

function cellOf(topology: Topology, { kind, level, firstSwitch }: Matrix, row: number, column: number): Cell | undefined {
  const sw = firstSwitch + row
  if (kind === 'nodes') {
    const node = topology.firstNodeOfLeaf[sw] + column
    return node < topology.firstNodeOfLeaf[sw + 1] ? { kind: 'node', node } : undefined
  }
  const { firstPort } = topology.levels[level]
  const link = firstPort[sw] + column
  return link < firstPort[sw + 1] ? { kind: 'link', level, sw, port: column, link } : undefined
}

function podBlock(topology: Topology, pod: number, withLinks: boolean): Block {
  const { firstLeafOfPod, firstL2OfPod, firstNodeOfLeaf, levels } = topology
  const [firstLeaf, endLeaf] = [firstLeafOfPod[pod], firstLeafOfPod[pod + 1]]
  const [firstL2, endL2] = [firstL2OfPod[pod], firstL2OfPod[pod + 1]]
  const nodes = { kind: 'nodes' as const, level: 0, firstSwitch: firstLeaf, rows: endLeaf - firstLeaf, columns: widest(firstNodeOfLeaf, firstLeaf, endLeaf) }
  const up = (level: number, first: number, end: number) => ({ kind: 'links' as const, level, firstSwitch: first, rows: end - first, columns: end > first && levels[level] !== undefined ? widest(levels[level].firstPort, first, end) : 0 })
  return block(`pod ${pod}`, pod, [nodes, ...(withLinks ? [up(0, firstLeaf, endLeaf), up(1, firstL2, endL2)] : [])])
}

/** Levels above the L2 switches, but the top one, which has no cables up. */
function upperBlocks({ levels }: Topology): ReadonlyArray<Block> {
  return levels.slice(2, -1).map(({ switches, firstPort }, at) =>
    block(`level ${at + 3}`, undefined, [{ kind: 'links', level: at + 2, firstSwitch: 0, rows: switches, columns: widest(firstPort, 0, switches) }]))
}

function block(title: string, pod: number | undefined, matrices: ReadonlyArray<Omit<Matrix, 'left'>>): Block {
  let left = 0
  const placed = matrices.filter(({ columns, rows }) => columns > 0 && rows > 0).map((matrix) => {
    const at = { ...matrix, left }
    left += matrix.columns + MATRIX_GAP
    return at
  })
  return { title, pod, matrices: placed, columns: left - MATRIX_GAP, rows: Math.max(...placed.map(({ rows }) => rows)) }
}

function place(blocks: ReadonlyArray<Block>, width: number, cell: number): FabricLayout {
  let [x, y, rowHeight, right] = [0, 0, 0, 0]
  const placed = blocks.map((each): Placed => {
    const [across, down] = [each.columns * cell, each.rows * cell + TITLE]
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
  return { cell, blocks: placed, width: right, height: y + rowHeight }
}

function widest(first: Int32Array, from: number, end: number): number {
  let most = 0
  for (let at = from; at < end; at++) most = Math.max(most, first[at + 1] - first[at])
  return most
}
