/** Receives two ranks, and the total size of their messages in both directions, over all steps of a pattern. */
type Send = (first: number, second: number, size: number) => void

/**
 * Calls `send` for all pairs of ranks that exchange messages under a pattern, or a mixture such as `ring*2+pairs`. The
 * README of `@cloister/communication` defines the patterns. Returns false, and calls nothing, if a pattern is unknown.
 */
export function sendPattern(name: string, ranks: number, send: Send): boolean {
  const parts = name.split('+').map((part) => part.split('*'))
  if (!parts.every(([pattern]) => Object.hasOwn(patterns, pattern))) return false
  for (const [pattern, weight = '1'] of parts)
    patterns[pattern](ranks, (first, second, size) => send(first, second, size * Number(weight)))
  return true
}

const patterns: Readonly<Record<string, (ranks: number, send: Send) => void>> = {
  'recursive-doubling': (ranks, send) => {
    for (const distance of powersBelow(ranks)) exchange(ranks, distance, 2, send)
  },
  'recursive-halving-vector-doubling': (ranks, send) => {
    let size = 1
    for (const distance of powersBelow(ranks).reverse()) exchange(ranks, distance, (size *= 2), send)
  },
  'binomial-tree': (ranks, send) => {
    // Each rank receives from the rank whose number lacks the lowest set bit.
    for (let rank = 1; rank < ranks; rank++) send(rank - (rank & -rank), rank, 1)
  },
  ring: (ranks, send) => {
    for (let rank = 0; rank < ranks; rank++) if (ranks > 1) send(rank, (rank + 1) % ranks, ranks - 1)
  },
  'stencil-2d': (ranks, send) => stencil(ranks, 2, send),
  'stencil-3d': (ranks, send) => stencil(ranks, 3, send),
  'all-to-all': (ranks, send) => {
    for (let first = 0; first < ranks; first++)
      for (let second = first + 1; second < ranks; second++) send(first, second, 2)
  },
  pairs: (ranks, send) => {
    const half = Math.floor(ranks / 2)
    for (let first = 0; first < half; first++) send(first, first + half, 2)
  },
}

function powersBelow(ranks: number): Array<number> {
  const found: Array<number> = []
  for (let power = 1; power < ranks; power *= 2) found.push(power)
  return found
}

/** Calls `send` for all pairs of ranks whose numbers differ only in the given bit. */
function exchange(ranks: number, bit: number, size: number, send: Send): void {
  for (let rank = 0; rank < ranks; rank++)
    if (Math.floor(rank / bit) % 2 === 0 && rank + bit < ranks) send(rank, rank + bit, size)
}

/** Calls `send` for all neighbours on a grid, no torus. Ranks along the last dimension have consecutive numbers. */
function stencil(ranks: number, dimensions: 2 | 3, send: Send): void {
  const grid = gridOf(ranks, dimensions)
  let stride = 1
  for (const extent of grid.toReversed()) {
    for (let rank = 0; rank < ranks; rank++)
      if (Math.floor(rank / stride) % extent < extent - 1) send(rank, rank + stride, 2)
    stride *= extent
  }
}

/** Returns the extents, descending, of the grid with the least largest extent, then the least second extent. */
function gridOf(ranks: number, dimensions: number): ReadonlyArray<number> {
  let best: ReadonlyArray<number> = [ranks, ...Array<number>(dimensions - 1).fill(1)]
  const divisors = Array.from({ length: ranks }, (_, at) => at + 1).filter((each) => ranks % each === 0)
  for (const first of divisors)
    for (const second of dimensions === 3 ? divisors : [1]) {
      const third = ranks / first / second
      const grid = dimensions === 3 ? [first, second, third] : [first, third]
      if (!Number.isInteger(third) || grid.some((each, at) => at > 0 && each > grid[at - 1])) continue
      if (grid[0] < best[0] || (grid[0] === best[0] && grid[1] < best[1])) best = grid
    }
  return best
}
