import { type CommunicatingOnLeaf, contention } from '@cloister/communication'
import type { Topology } from '@cloister/topology'
import type { Pattern, Reading } from './paper.ts'

/**
 * Ranks that send, in a step of a pattern, to the rank at the step's distance. A block is twice as long as the
 * distance. `half-blocks`: the first half of each block. `block-heads`: the first rank of each block. `first`: the
 * ranks with numbers below the distance.
 */
type Senders = 'half-blocks' | 'block-heads' | 'first'

/**
 * Returns the communication cost of a job by equation 6 of the Mishra paper, on a machine of two levels. The cost is
 * the weighted sum over the pattern's steps of the largest number of effective hops between two communicating ranks.
 * Neighbouring ranks are mostly on one leaf, so steps are examined leaf by leaf, and not pair by pair.
 *
 * @param others returns the number of nodes that other communicating jobs hold on a leaf
 * @param ranks node of each rank of the job
 */
export function stepCost(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  pattern: Pattern,
  reading: Pick<Reading, 'steps' | 'pairs'>,
): number {
  const runs = runsOnLeaves(topology, ranks)
  const hops = hopsBetween(topology, others, runs)
  const senders = sendersOf(pattern, reading)
  let cost = 0
  let farthest = 1
  while (2 * farthest < ranks.length) farthest *= 2
  for (let distance = 1; distance < ranks.length; distance *= 2) {
    const weight = pattern === 'RHVD' && reading.steps === 'weighted' ? farthest / distance : 1
    cost += weight * mostHops(runs, ranks.length, distance, senders, hops)
  }
  return cost
}

function sendersOf(pattern: Pattern, { pairs }: Pick<Reading, 'pairs'>): Senders {
  if (pattern === 'RHVD') return 'half-blocks'
  if (pairs === 'code') return pattern === 'RD' ? 'block-heads' : 'first'
  return pattern === 'RD' ? 'half-blocks' : 'block-heads'
}

/** Runs of consecutive ranks on one leaf, by index: the first rank (`first`) and the leaf (`leaf`) of each run. */
interface Runs {
  readonly first: ReadonlyArray<number>
  readonly leaf: ReadonlyArray<number>
  /** Number of nodes of the job on each leaf. */
  readonly own: ReadonlyMap<number, number>
}

function runsOnLeaves({ leafOfNode }: Topology, ranks: ArrayLike<number>): Runs {
  const first: Array<number> = []
  const leaf: Array<number> = []
  const own = new Map<number, number>()
  for (let rank = 0; rank < ranks.length; rank++) {
    const here = leafOfNode[ranks[rank]]
    own.set(here, (own.get(here) ?? 0) + 1)
    if (here === leaf.at(-1)) continue
    first.push(rank)
    leaf.push(here)
  }
  return { first, leaf, own }
}

/** Returns a function from two leaves to the effective hops between nodes on them (equation 5 of the Mishra paper). */
function hopsBetween(
  topology: Topology,
  others: CommunicatingOnLeaf,
  { own }: Runs,
): (leafA: number, leafB: number) => number {
  const communicating = (leaf: number): number => others(leaf) + (own.get(leaf) ?? 0)
  const known = new Map<number, number>()
  return (leafA, leafB) => {
    const key = leafA * topology.leaves + leafB
    const before = known.get(key)
    if (before !== undefined) return before
    const hops = (leafA === leafB ? 2 : 4) * (1 + contention(topology, communicating, leafA, leafB))
    known.set(key, hops)
    return hops
  }
}

/** Returns the largest number of hops between a sending rank and the rank at `distance` from it; 0 if no rank sends. */
function mostHops(
  { first, leaf }: Runs,
  ranks: number,
  distance: number,
  senders: Senders,
  hops: (leafA: number, leafB: number) => number,
): number {
  let most = 0
  let from = 0
  let a = 0
  let b = 0
  const end = ranks - distance
  while (from < end) {
    while (a + 1 < first.length && first[a + 1] <= from) a++
    while (b + 1 < first.length && first[b + 1] <= from + distance) b++
    // All senders from `from` to below `until` are on one leaf, and so are their receivers.
    const until = Math.min(end, first[a + 1] ?? end, (first[b + 1] ?? ranks) - distance)
    if (nextSender(from, distance, senders) < until) most = Math.max(most, hops(leaf[a], leaf[b]))
    from = until
  }
  return most
}

/** Returns the first sending rank that is at least `rank`; Infinity if there is none. */
function nextSender(rank: number, distance: number, senders: Senders): number {
  if (senders === 'first') return rank < distance ? rank : Infinity
  const inBlock = rank % (2 * distance)
  if (inBlock === 0 || (senders === 'half-blocks' && inBlock < distance)) return rank
  return rank - inBlock + 2 * distance
}
