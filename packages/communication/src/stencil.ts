import type { Pattern } from './pattern.ts'

/**
 * Ranks on a grid, the last dimension's neighbours next to each other; one dimension after the other each exchanges with both its
 * neighbours along it. The grid is as nearly cubic as the number of ranks has divisors for, and has borders.
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

/** Extents whose product is `ranks`, at least 1, in descending order: the largest is as small as can be, then the next. */
export function gridOf(ranks: number, dimensions: number): ReadonlyArray<number> {
  if (dimensions === 1) return [ranks]
  for (let extent = 1; ; extent++) {
    if (ranks % extent !== 0) continue
    const grid = [extent, ...gridOf(ranks / extent, dimensions - 1)]
    // The first that is in order has the smallest largest extent.
    if (grid[1] <= extent) return grid
  }
}
