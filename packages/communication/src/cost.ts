import { lowestCommonLevel, type Topology } from '@cloister/topology'
import type { Pattern } from './patterns.ts'

/**
 * Measures of the communication cost of a job, by name:
 *
 * - `effective`: effective hops; all steps of a pattern weigh the same (Mishra et al., equation 6)
 * - `sized`: effective hops; each step weighs by the size of its messages (section 5.3 and the code of Mishra et al.)
 * - `plain`: hops without contention
 */
export const costMeasures = ['effective', 'sized', 'plain'] as const
/** Measure of the communication cost of a job, one of `costMeasures`. */
export type CostMeasure = (typeof costMeasures)[number]

/**
 * Returns the communication cost of a job: the largest number of hops between two communicating ranks of a step, summed
 * over the steps of its pattern. 0 for a single rank.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job; the function adds this job's nodes
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @param measure under `sized`, the step with the smallest messages of the pattern weighs 1
 * @throws RangeError if the pattern is for another number of ranks than the job has
 */
export function communicationCost(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  pattern: Pattern,
  measure: CostMeasure = 'effective',
): number {
  const hops =
    measure === 'plain'
      ? (nodeA: number, nodeB: number): number => distance(topology, nodeA, nodeB)
      : effectiveHops(topology, others, ranks)
  let [cost, most, largest, smallest] = [0, 0, 0, Infinity]
  const pair = (first: number, second: number, size: number): void => {
    most = Math.max(most, hops(ranks[first], ranks[second]))
    largest = Math.max(largest, size)
  }
  pattern.forEachPair(ranks.length, pair, (times) => {
    cost += times * most * (measure === 'sized' ? largest : 1)
    if (largest > 0) smallest = Math.min(smallest, largest)
    most = largest = 0
  })
  return measure === 'sized' && cost > 0 ? cost / smallest : cost
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
