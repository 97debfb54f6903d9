import { lowestCommonLevel, type Topology } from '@cloister/topology'
import { type Pattern, patternParts } from './patterns.ts'

/**
 * Returns the communication cost of a job: the largest number of effective hops between two communicating ranks of a
 * step, summed over the steps of its pattern (Mishra et al., equation 6). 0 for a single rank.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job; the function adds this job's nodes
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @throws RangeError if the pattern is for another number of ranks than the job has
 */
export function communicationCost(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  pattern: Pattern,
): number {
  const hops = effectiveHops(topology, others, ranks)
  let cost = 0
  let most = 0
  const pair = (first: number, second: number): void => {
    most = Math.max(most, hops(ranks[first], ranks[second]))
  }
  pattern.forEachPair(ranks.length, pair, (times) => {
    cost += times * most
    most = 0
  })
  return cost
}

/**
 * Returns the run time of a job, in whole ms, at a communication cost other than the default cost (Mishra et al.,
 * equation 7). Only the share of communication in the run time changes, in proportion to the cost. If the default cost
 * is 0, the run time does not change.
 *
 * @param runTime run time at `defaultCost`, integer milliseconds
 * @param share share of communication in the run time, in 1/1000
 */
export function adjustedRunTime(runTime: number, share: number, cost: number, defaultCost: number): number {
  if (cost === defaultCost || defaultCost === 0) return runTime
  return Math.round((runTime * (1000 - share) + runTime * share * (cost / defaultCost)) / 1000)
}

/**
 * Returns the run time of a job on the nodes `ranks`, in whole ms, from its run time on a default placement in the same
 * state (Mishra et al., equation 7). For a mixture, each part of the communication time changes with its own pattern's
 * cost.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job
 * @param runTime run time on `defaultRanks`, integer milliseconds
 * @param communication `pattern` by name, and `share` of communication in the run time, in 1/1000
 * @throws RangeError if the pattern is unknown
 */
export function runTimeOn(
  topology: Topology,
  others: CommunicatingOnLeaf,
  runTime: number,
  communication: { readonly pattern: string; readonly share: number },
  ranks: ArrayLike<number>,
  defaultRanks: ArrayLike<number>,
): number {
  const parts = patternParts(communication.pattern)
  if (parts === undefined) throw new PatternError(communication.pattern)
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  let change = 0
  for (const { pattern, weight } of parts) {
    const share = (communication.share * weight) / whole
    change +=
      adjustedRunTime(
        runTime,
        share,
        communicationCost(topology, others, ranks, pattern),
        communicationCost(topology, others, defaultRanks, pattern),
      ) - runTime
  }
  return runTime + change
}

/** Error for an unknown communication pattern, for example from an untrusted log. */
class PatternError extends RangeError {
  readonly _tag = 'PatternError' as const
  override readonly name: string = 'PatternError'

  constructor(pattern: string) {
    super(`the communication pattern ${JSON.stringify(pattern)} is unknown`)
  }
}

/** Function that returns the number of nodes of a leaf that run communicating jobs (L_comm of Mishra et al.). */
export type CommunicatingOnLeaf = (leaf: number) => number

/**
 * Returns twice the level of the lowest switch above both nodes, with leaves at level 1 (Mishra et al., equation 4).
 * Returns 0 for equal nodes. If no switch is above both nodes, the function assumes a switch above the top level.
 */
export function distance(topology: Topology, nodeA: number, nodeB: number): number {
  return nodeA === nodeB ? 0 : 2 * (lowestCommonLevel(topology, nodeA, nodeB) + 1)
}

/**
 * Returns the contention between nodes of two leaves, or between nodes of one leaf (Mishra et al., equations 2 and 3).
 */
export function contention(
  { firstNodeOfLeaf }: Topology,
  communicating: CommunicatingOnLeaf,
  leafA: number,
  leafB: number,
): number {
  const sizeA = firstNodeOfLeaf[leafA + 1] - firstNodeOfLeaf[leafA]
  const commA = communicating(leafA)
  if (leafA === leafB) return commA / sizeA
  const sizeB = firstNodeOfLeaf[leafB + 1] - firstNodeOfLeaf[leafB]
  const commB = communicating(leafB)
  return commA / sizeA + commB / sizeB + (commA + commB) / (sizeA + sizeB) / 2
}

/**
 * Returns a function for the effective hops between two nodes of a job: d (1 + C) of Mishra et al., equation 5; 0 for
 * equal nodes.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job; the function adds this job's nodes
 *   (Figure 5)
 * @param ranks node of each rank of the job
 */
export function effectiveHops(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
): (nodeA: number, nodeB: number) => number {
  const { leafOfNode, leaves } = topology
  const own = nodesOnLeaves(topology, ranks)
  const communicating = (leaf: number): number => others(leaf) + own[leaf]
  const known = new Map<number, number>()
  // Neighbouring ranks and their partners are mostly on the same two leaves, so `hops` is kept for the last two leaves.
  let leafA = -1
  let leafB = -1
  let hops = 0
  return (nodeA, nodeB) => {
    if (nodeA === nodeB) return 0
    if (leafOfNode[nodeA] === leafA && leafOfNode[nodeB] === leafB) return hops
    leafA = leafOfNode[nodeA]
    leafB = leafOfNode[nodeB]
    const key = leafA * leaves + leafB
    const before = known.get(key)
    if (before !== undefined) return (hops = before)
    hops = distance(topology, nodeA, nodeB) * (1 + contention(topology, communicating, leafA, leafB))
    known.set(key, hops)
    return hops
  }
}

export function nodesOnLeaves({ leafOfNode, leaves, nodes }: Topology, ranks: ArrayLike<number>): Int32Array {
  const counts = new Int32Array(leaves)
  const seen = new Uint8Array(nodes)
  for (let rank = 0; rank < ranks.length; rank++) {
    const node = ranks[rank]
    if (seen[node] === 0) counts[leafOfNode[node]]++
    seen[node] = 1
  }
  return counts
}
