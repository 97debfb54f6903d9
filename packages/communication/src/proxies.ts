import type { Pair, Pattern } from './pattern.ts'
import { gridOf } from './stencil.ts'

/**
 * Patterns as the proxy applications of the Chatterbug suite have them (Jain and Bhatele, LLNL-CODE-756471), whose pairs of
 * ranks are `pairs`. All messages of a step are posted at once; each pair exchanges, so a size of 2 is a message each way.
 */

/** Ranks on a periodic grid of four dimensions, as nearly cubic as can be, exchange with all their neighbours at once. */
export const periodicStencil4d: Pattern = {
  name: 'periodic-stencil-4d',
  forEachPair(ranks, pair, endOfStep) {
    if (ranks < 2) return
    let stride = ranks
    for (const extent of gridOf(ranks, 4)) {
      const span = stride
      stride /= extent
      if (extent === 1) continue
      for (let first = 0; first < ranks; first++) {
        const isLast = first % span >= span - stride
        // Over two ranks a neighbour on one side is the one on the other side too.
        if (extent > 2) pair(first, isLast ? first - span + stride : first + stride, 2)
        else if (!isLast) pair(first, first + stride, 4)
      }
    }
    endOfStep(1)
  },
}

/** Ranks on a grid of three dimensions: all to all among those of a row, along one dimension after the other. */
export const rowsAllToAll: Pattern = {
  name: 'rows-all-to-all',
  forEachPair(ranks, pair, endOfStep) {
    if (ranks < 2) return
    let stride = ranks
    for (const extent of gridOf(ranks, 3)) {
      const span = stride
      stride /= extent
      if (extent === 1) continue
      for (let first = 0; first < ranks; first++)
        for (let other = first + stride; Math.floor(other / span) === Math.floor(first / span); other += stride)
          pair(first, other, 2)
      endOfStep(1)
    }
  },
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
 * Ranks on a periodic grid of three dimensions, each of which sends to some that are near: an unstructured mesh, the same
 * for the same draws.
 *
 * @param draw gives an integer of [0, below)
 */
export function unstructuredMesh({ least, below, reach }: Mesh, draw: (below: number) => number): Pattern {
  return {
    name: 'unstructured-mesh',
    forEachPair(ranks, pair, endOfStep) {
      const grid = gridOf(ranks, 3)
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
function nearby(rank: number, grid: ReadonlyArray<number>, reach: number, draw: (below: number) => number): number {
  let stride = grid[0] * grid[1] * grid[2]
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
