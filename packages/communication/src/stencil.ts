import type { Pattern } from './pattern.ts'

/**
 * Returns the pattern of a grid of ranks; ranks along the last dimension are consecutive. Along one dimension after the
 * next, each rank exchanges with both its neighbours. The grid is as nearly cubic as the divisors of the number of
 * ranks allow, and has borders.
 */
export function stencil(name: string, dimensions: 2 | 3): Pattern {
  return {
    name,
    forEachPair(ranks, pair, endOfStep) {
      if (ranks < 2) return
      let stride = ranks
      for (const extent of gridOf(ranks, dimensions)) {
        const span = stride
        stride /= extent
        if (extent === 1) continue
        for (let first = 0; first + stride < ranks; first++) {
          if (Math.floor(first / span) === Math.floor((first + stride) / span)) pair(first, first + stride, 2)
        }
        endOfStep(1)
      }
    },
  }
}

/**
 * Returns the extents of a grid of `ranks` ranks (at least 1), in descending order. The largest extent is as small as
 * possible; among such grids, the second largest extent is as small as possible, and so on.
 */
export function gridOf(ranks: number, dimensions: number): ReadonlyArray<number> {
  if (dimensions === 1) return [ranks]
  for (let extent = 1; ; extent++) {
    if (ranks % extent !== 0) continue
    const grid = [extent, ...gridOf(ranks / extent, dimensions - 1)]
    // The first grid in descending order has the smallest largest extent.
    if (grid[1] <= extent) return grid
  }
}
