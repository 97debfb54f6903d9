/**
 * Function that is called with each pair of ranks that communicate in a step. `size` is the sum of the messages in both
 * directions, in units of the pattern's smallest message, or in bytes for a matrix.
 */
export type Pair = (first: number, second: number, size: number) => void

/** Communication pattern of a job: the pairs of communicating ranks in each step. */
export interface Pattern {
  /** Name of the pattern, as in jobs and event logs. */
  readonly name: string
  /**
   * Calls `pair` with the pairs of a job with `ranks` ranks, step by step. The pairs of a step communicate at the same
   * time. Each pair has two different ranks and occurs at most once in a step.
   *
   * @param endOfStep function that is called after each step; `times` is the number of repetitions of the step
   */
  forEachPair(ranks: number, pair: Pair, endOfStep: (times: number) => void): void
}

/** Names of the patterns that `patternOf` knows: algorithms of MPI collectives, stencils, and pairs of ranks. */
export const patternNames = [
  'recursive-doubling',
  'recursive-halving-vector-doubling',
  'binomial-tree',
  'binomial-doubling',
  'ring',
  'stencil-2d',
  'stencil-3d',
  'all-to-all',
  'pairs',
] as const

/** Name of a known pattern for jobs of any number of ranks. */
export type PatternName = (typeof patternNames)[number]

/** Part of a mixture of patterns: a pattern and its weight. */
export interface PatternPart {
  readonly pattern: Pattern
  /** Number of times that the steps of the part are repeated, an integer above 0. */
  readonly weight: number
}

/** Returns the pattern of a name, or of a mixture such as `ring*3+pairs*7`; undefined if a name is unknown. */
export function patternOf(name: PatternName): Pattern
export function patternOf(name: string): Pattern | undefined
export function patternOf(name: string): Pattern | undefined {
  const parts = patternParts(name)
  return parts === undefined || parts.length === 1 ? parts?.[0].pattern : mixture(name, parts)
}

/** Returns the parts of a mixture, or the pattern of a plain name with weight 1; undefined if a name is unknown. */
export function patternParts(name: string): ReadonlyArray<PatternPart> | undefined {
  const names = mixtureNames(name) ?? [[name, 1] as const]
  return names.every(([each]) => known.has(each))
    ? names.map(([each, weight]) => ({ pattern: known.get(each)!, weight }))
    : undefined
}

/** Returns the names and weights of a mixture such as `ring*3+pairs*7`; undefined for any other text. */
function mixtureNames(text: string): ReadonlyArray<readonly [name: string, weight: number]> | undefined {
  const parts = text.split('+').map((part) => /^([a-z0-9-]+)\*([1-9]\d{0,3})$/.exec(part))
  return parts.length < 2 || parts.includes(null)
    ? undefined
    : parts.map((part) => [part![1], Number(part![2])] as const)
}

/** Returns the pattern of a mixture: the steps of all parts, each repeated as often as the weight of its part. */
function mixture(name: string, parts: ReadonlyArray<PatternPart>): Pattern {
  return {
    name,
    forEachPair(ranks, pair, endOfStep) {
      for (const { pattern, weight } of parts) pattern.forEachPair(ranks, pair, (times) => endOfStep(times * weight))
    },
  }
}

/**
 * Returns an upper bound for the number of pairs of ranks that `communicationCost` visits for a pattern. For
 * all-to-all, the bound grows with the square of the number of ranks. Returns 0 for an unknown pattern.
 */
export function mostPairs(pattern: string, ranks: number): number {
  const each = ranks * Math.max(3, 32 - Math.clz32(ranks))
  return (patternParts(pattern) ?? []).reduce(
    (sum, { pattern: { name } }) => sum + (name === 'all-to-all' ? (ranks * ranks) / 2 : each),
    0,
  )
}

const steps: Readonly<Record<PatternName, Pattern['forEachPair']>> = {
  /** Ranks at distances 1, 2, 4, … exchange messages of equal size. */
  'recursive-doubling': (ranks, pair, endOfStep) => {
    for (let distance = 1; distance < ranks; distance *= 2) exchange(ranks, distance, 2, pair, endOfStep)
  },
  /** Ranks at distances …, 4, 2, 1 exchange messages. The size of a message doubles with every step. */
  'recursive-halving-vector-doubling': (ranks, pair, endOfStep) => {
    let size = 2
    for (let distance = farthest(ranks); distance >= 1; distance /= 2, size *= 2)
      exchange(ranks, distance, size, pair, endOfStep)
  },
  /** A broadcast: in each step, all ranks that have the message send the message to one more rank each. */
  'binomial-tree': (ranks, pair, endOfStep) => {
    for (let distance = farthest(ranks); distance >= 1; distance /= 2) {
      for (let sender = 0; sender + distance < ranks; sender += 2 * distance) pair(sender, sender + distance, 1)
      endOfStep(1)
    }
  },
  /** A broadcast like `binomial-tree`, but from the nearest ranks to the farthest. */
  'binomial-doubling': (ranks, pair, endOfStep) => {
    for (let distance = 1; distance < ranks; distance *= 2) {
      for (let sender = 0; sender < distance && sender + distance < ranks; sender++) pair(sender, sender + distance, 1)
      endOfStep(1)
    }
  },
  /** Each rank sends to the next rank, n - 1 times for n ranks. */
  ring: (ranks, pair, endOfStep) => {
    if (ranks < 2) return
    if (ranks === 2) pair(0, 1, 2)
    else for (let sender = 0; sender < ranks; sender++) pair(sender, (sender + 1) % ranks, 1)
    endOfStep(ranks - 1)
  },
  'stencil-2d': (ranks, pair, endOfStep) => stencil(2, ranks, pair, endOfStep),
  'stencil-3d': (ranks, pair, endOfStep) => stencil(3, ranks, pair, endOfStep),
  /** In step k, every rank i of n ranks sends to rank (i + k) mod n. */
  'all-to-all': (ranks, pair, endOfStep) => {
    // The step with distance `ranks - shift` has the same pairs as the step with distance `shift`, so each counts
    // twice.
    for (let shift = 1; 2 * shift < ranks; shift++) {
      for (let sender = 0; sender < ranks; sender++) pair(sender, (sender + shift) % ranks, 1)
      endOfStep(2)
    }
    if (ranks > 1 && ranks % 2 === 0) bisection(ranks, pair, endOfStep)
  },
  /** Rank i exchanges once with rank i + h, for all i below h, half the number of ranks rounded down. */
  pairs: (ranks, pair, endOfStep) => {
    if (ranks > 1) bisection(ranks, pair, endOfStep)
  },
}

const known = new Map<string, Pattern>(patternNames.map((name) => [name, { name, forEachPair: steps[name] }]))

function bisection(ranks: number, pair: Pair, endOfStep: (times: number) => void): void {
  const half = Math.floor(ranks / 2)
  for (let first = 0; first < half; first++) pair(first, first + half, 2)
  endOfStep(1)
}

/** In blocks of twice the distance, each rank of the lower half exchanges with the rank one distance on, if any. */
function exchange(ranks: number, distance: number, size: number, pair: Pair, endOfStep: (times: number) => void): void {
  for (let block = 0; block < ranks; block += 2 * distance) {
    const end = Math.min(block + distance, ranks - distance)
    for (let first = block; first < end; first++) pair(first, first + distance, size)
  }
  endOfStep(1)
}

/** Returns the largest power of two below `ranks`; 0 for a single rank. */
function farthest(ranks: number): number {
  if (ranks < 2) return 0
  let distance = 1
  while (2 * distance < ranks) distance *= 2
  return distance
}

/**
 * Visits the pairs of a grid of ranks; ranks along the last dimension are consecutive. Along one dimension after the
 * next, each rank exchanges with both its neighbours. The grid is as nearly cubic as the divisors of the number of
 * ranks allow, and has borders.
 */
function stencil(dimensions: number, ranks: number, pair: Pair, endOfStep: (times: number) => void): void {
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
