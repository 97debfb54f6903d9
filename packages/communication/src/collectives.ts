import type { Pair, Pattern } from './pattern.ts'

/** Pattern of recursive doubling: ranks at distances 1, 2, 4, … exchange messages of equal size. */
export const recursiveDoubling: Pattern = {
  name: 'recursive-doubling',
  forEachPair(ranks, pair, endOfStep) {
    for (let distance = 1; distance < ranks; distance *= 2) exchange(ranks, distance, 2, pair, endOfStep)
  },
}

/**
 * Pattern of recursive halving with vector doubling: ranks at distances …, 4, 2, 1 exchange messages. The first
 * distance is the largest power of two below the number of ranks. The size of a message doubles with every step.
 */
export const recursiveHalvingVectorDoubling: Pattern = {
  name: 'recursive-halving-vector-doubling',
  forEachPair(ranks, pair, endOfStep) {
    let size = 2
    for (let distance = farthest(ranks); distance >= 1; distance /= 2, size *= 2)
      exchange(ranks, distance, size, pair, endOfStep)
  },
}

/**
 * Pattern of a broadcast: in each step, all ranks that have the message send the message to one more rank each. The
 * distances of the steps are …, 4, 2, 1, from the largest power of two below the number of ranks.
 */
export const binomialTree: Pattern = {
  name: 'binomial-tree',
  forEachPair(ranks, pair, endOfStep) {
    for (let distance = farthest(ranks); distance >= 1; distance /= 2) {
      for (let sender = 0; sender + distance < ranks; sender += 2 * distance) pair(sender, sender + distance, 1)
      endOfStep(1)
    }
  },
}

/** Pattern of a ring: each rank sends to the next rank, n - 1 times for n ranks. */
export const ring: Pattern = {
  name: 'ring',
  forEachPair(ranks, pair, endOfStep) {
    if (ranks < 2) return
    if (ranks === 2) pair(0, 1, 2)
    else for (let sender = 0; sender < ranks; sender++) pair(sender, (sender + 1) % ranks, 1)
    endOfStep(ranks - 1)
  },
}

/** Pattern of all-to-all: in step k, every rank i of n ranks sends to rank (i + k) mod n. */
export const allToAll: Pattern = {
  name: 'all-to-all',
  forEachPair(ranks, pair, endOfStep) {
    // The step with distance `ranks - shift` has the same pairs as the step with distance `shift`, so each counts
    // twice.
    for (let shift = 1; 2 * shift < ranks; shift++) {
      for (let sender = 0; sender < ranks; sender++) pair(sender, (sender + shift) % ranks, 1)
      endOfStep(2)
    }
    if (ranks > 1 && ranks % 2 === 0) bisection(ranks, pair, endOfStep)
  },
}

/**
 * Pattern of pairs: rank i exchanges once with rank i + h, for all i below h, half the number of ranks rounded down.
 */
export const pairs: Pattern = {
  name: 'pairs',
  forEachPair(ranks, pair, endOfStep) {
    if (ranks > 1) bisection(ranks, pair, endOfStep)
  },
}

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
