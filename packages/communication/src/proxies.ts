import type { Pair, Pattern } from './patterns.ts'

/**
 * Patterns of the proxy applications of the Chatterbug suite (Jain and Bhatele, LLNL-CODE-756471): `periodicStencil` on
 * four dimensions, `rowsAllToAll` and `unstructuredMesh` on three; the application for pairs of ranks has the pattern
 * `pairs`. All messages of a step are sent at the same time. A size of 2 is one message in each direction. The patterns
 * throw a RangeError if a job's number of ranks differs from the number of ranks of the grid.
 */

/** Extents of a grid of ranks, with the number of ranks as product; ranks along the last extent are consecutive. */
export type RankGrid = ReadonlyArray<number>

/** Returns the pattern of a periodic grid in which each rank exchanges with all its neighbours in one step. */
export function periodicStencil(grid: RankGrid): Pattern {
  return {
    name: `periodic-stencil-${grid.join('x')}`,
    forEachPair(ranks, pair, endOfStep) {
      forEachDimension(grid, ranks, (extent, stride, span) => {
        for (let first = 0; first < ranks; first++) {
          const isLast = first % span >= span - stride
          // With an extent of 2, both neighbours along the dimension are the same rank.
          if (extent > 2) pair(first, isLast ? first - span + stride : first + stride, 2)
          else if (!isLast) pair(first, first + stride, 4)
        }
      })
      if (ranks > 1) endOfStep(1)
    },
  }
}

/** Returns the pattern of a grid with all-to-all exchanges in each row, one dimension after the next. */
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

/**
 * Calls `visit` for each dimension of a grid with an extent above 1. `stride` is the difference between the numbers of
 * two neighbours along the dimension; `span` is `stride` times the extent.
 */
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

/** Parameters of the irregularity of an unstructured mesh. */
export interface Mesh {
  /** Least number of messages of each rank. Each rank draws its number of messages from `least` to `below` - 1. */
  readonly least: number
  readonly below: number
  /** Bound of the distance from a rank to a receiver: along each dimension, the distance is below `reach`. */
  readonly reach: number
}

/**
 * Returns the pattern of an unstructured mesh: each rank of a periodic grid sends to some near ranks, all in one step.
 * The same draws give the same mesh.
 *
 * @param draw function that returns a random integer from 0 to `below` - 1
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

/** Draws a rank less than `reach` away from `rank` along each dimension of the grid, possibly `rank` itself. */
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
