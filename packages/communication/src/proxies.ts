import type { Pair, Pattern } from './pattern.ts'

/**
 * Patterns as the proxy applications of the Chatterbug suite have them (Jain and Bhatele, LLNL-CODE-756471), whose pairs of
 * ranks are `pairs`. All messages of a step are posted at once; each pair exchanges, so a size of 2 is a message each way.
 * They throw a RangeError where a job has not the grid's number of ranks.
 */

/** Extents of a grid of ranks, the neighbours along the last one next to each other. Their product is the number of ranks. */
export type RankGrid = ReadonlyArray<number>

/** Ranks on a periodic grid, of four dimensions in the suite, exchange with all their neighbours at once. */
export function periodicStencil(grid: RankGrid): Pattern {
  return {
    name: `periodic-stencil-${grid.join('x')}`,
    forEachPair(ranks, pair, endOfStep) {
      forEachDimension(grid, ranks, (extent, stride, span) => {
        for (let first = 0; first < ranks; first++) {
          const isLast = first % span >= span - stride
          // Over two ranks a neighbour on one side is the one on the other side too.
          if (extent > 2) pair(first, isLast ? first - span + stride : first + stride, 2)
          else if (!isLast) pair(first, first + stride, 4)
        }
      })
      if (ranks > 1) endOfStep(1)
    },
  }
}

/** Ranks on a grid, of three dimensions in the suite: all to all among those of a row, along one dimension after the other. */
export function rowsAllToAll(grid: RankGrid): Pattern {
  return {
    name: `rows-all-to-all-${grid.join('x')}`,
    forEachPair(ranks, pair, endOfStep) {
      forEachDimension(grid, ranks, (_, stride, span) => {
        for (let first = 0; first < ranks; first++)
          for (let other = first + stride; Math.floor(other / span) === Math.floor(first / span); other += stride)
            pair(first, other, 2)
        endOfStep(1)
      })
    },
  }
}

/** Visits the dimensions along which there are neighbours: `stride` ranks to the next, `span` ranks to the end of a row. */
function forEachDimension(
  grid: RankGrid,
  ranks: number,
  visit: (extent: number, stride: number, span: number) => void,
): void {
  requireRanks(grid, ranks)
  let stride = ranks
  for (const extent of grid) {
    const span = stride
    stride /= extent
    if (extent > 1) visit(extent, stride, span)
  }
}

function requireRanks(grid: RankGrid, ranks: number): void {
  if (grid.reduce((product, extent) => product * extent, 1) !== ranks)
    throw new RangeError(`a grid of ${grid.join(' x ')} ranks cannot have ${ranks}`)
}

/** How irregular a mesh is. */
export interface Mesh {
  /** Each rank sends to a drawn number of ranks, from the one to below the other. */
  readonly least: number
  readonly below: number
  /** How far away they are, along each dimension, less one. */
  readonly reach: number
}

/**
 * Ranks on a periodic grid, of three dimensions in the suite, each of which sends to some that are near: an unstructured mesh, the same
 * for the same draws.
 *
 * @param draw gives an integer of [0, below)
 */
export function unstructuredMesh(
  grid: RankGrid,
  { least, below, reach }: Mesh,
  draw: (below: number) => number,
): Pattern {
  return {
    name: `unstructured-mesh-${grid.join('x')}`,
    forEachPair(ranks, pair, endOfStep) {
      requireRanks(grid, ranks)
      const messages = new Map<number, number>()
      for (let rank = 0; rank < ranks; rank++) {
        for (let left = least + draw(below - least); left > 0; left--) {
          const other = nearby(rank, grid, reach, draw)
          if (other === rank) continue
          const key = Math.min(rank, other) * ranks + Math.max(rank, other)
          messages.set(key, (messages.get(key) ?? 0) + 1)
        }
      }
      visitEach(messages, ranks, pair)
      if (ranks > 1) endOfStep(1)
    },
  }
}

/** A rank less than `reach` away along each dimension; it may be the same one. */
function nearby(rank: number, grid: RankGrid, reach: number, draw: (below: number) => number): number {
  let stride = grid.reduce((product, extent) => product * extent, 1)
  let at = rank
  let found = 0
  for (const extent of grid) {
    stride /= extent
    const offset = (draw(2) === 0 ? -1 : 1) * draw(reach)
    const place = (((Math.floor(at / stride) + offset) % extent) + extent) % extent
    found += place * stride
    at %= stride
  }
  return found
}

function visitEach(messages: ReadonlyMap<number, number>, ranks: number, pair: Pair): void {
  for (const [key, count] of messages) pair(Math.floor(key / ranks), key % ranks, count)
}
