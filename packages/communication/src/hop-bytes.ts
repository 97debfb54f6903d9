import { lowestCommonLevel, type Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, distance, effectiveHops, nodesOnLeaves } from './cost.ts'
import type { Pattern } from './patterns.ts'

/** Hop-bytes of a job, summed over all pairs of its ranks. */
export interface HopBytes {
  /** Bytes times distance (Agarwal et al., IPDPS 2006; Mangat and Malakar). */
  readonly plain: number
  /** Bytes times effective hops: the distance of each pair, increased by contention (Mishra et al., equation 5). */
  readonly effective: number
}

/**
 * Returns the hop-bytes of a communication matrix. Each pair of ranks counts once, with the mean of the bytes in both
 * directions. For a symmetric matrix, the mean is the number of bytes in one direction.
 *
 * @param others number of nodes of a leaf with communicating jobs except this job; the function adds this job's nodes
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @param matrix `matrix[i][j]`: bytes from rank i to rank j
 * @throws RangeError if the matrix has another number of ranks than the job
 */
export function hopBytes(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  matrix: ReadonlyArray<ArrayLike<number>>,
): HopBytes {
  if (ranks.length !== matrix.length)
    throw new RangeError(`the matrix has ${matrix.length} ranks, the job has ${ranks.length}`)
  const { leafOfNode } = topology
  const nodesOfLeaves = [...new Map(Array.from(ranks, (node) => [leafOfNode[node], node])).values()]
  const numberOf = new Map(nodesOfLeaves.map((node, number) => [leafOfNode[node], number]))
  const leafOfRank = Int32Array.from(ranks, (node) => numberOf.get(leafOfNode[node])!)
  const sent = sentBetweenLeaves(ranks, leafOfRank, nodesOfLeaves.length, matrix)
  const hops = effectiveHops(topology, others, ranks)
  let [plain, effective] = [0, 0]
  sent.forEach((bytes, at) => {
    if (bytes === 0) return
    const from = Math.floor(at / nodesOfLeaves.length)
    const to = at % nodesOfLeaves.length
    // Any two nodes of a leaf have the same distance. A leaf with messages between its nodes has at least two nodes.
    const nodeA = nodesOfLeaves[from]
    const nodeB = from === to ? otherNodeOf(topology, nodeA) : nodesOfLeaves[to]
    plain += bytes * distance(topology, nodeA, nodeB)
    effective += bytes * hops(nodeA, nodeB)
  })
  return { plain, effective }
}

/** Returns the bytes between leaves, at index `first leaf * leaves + second leaf`, without bytes within a node. */
function sentBetweenLeaves(
  ranks: ArrayLike<number>,
  leafOfRank: Int32Array,
  leaves: number,
  matrix: ReadonlyArray<ArrayLike<number>>,
): Float64Array {
  const sent = new Float64Array(leaves * leaves)
  for (let first = 0; first < ranks.length; first++) {
    const row = matrix[first]
    const base = leafOfRank[first] * leaves
    for (let second = 0; second < first; second++) {
      const bytes = row[second] + matrix[second][first]
      if (bytes > 0 && ranks[first] !== ranks[second]) sent[base + leafOfRank[second]] += bytes / 2
    }
  }
  return sent
}

function otherNodeOf({ leafOfNode, firstNodeOfLeaf }: Topology, node: number): number {
  const first = firstNodeOfLeaf[leafOfNode[node]]
  return node === first ? first + 1 : first
}

/** Returns a function for the distance between two nodes that computes each pair of leaves only once. */
export function leafDistances(topology: Topology): (nodeA: number, nodeB: number) => number {
  const { leafOfNode, leaves } = topology
  const known = new Map<number, number>()
  return (nodeA, nodeB) => {
    if (nodeA === nodeB) return 0
    const key = leafOfNode[nodeA] * leaves + leafOfNode[nodeB]
    const far = known.get(key) ?? distance(topology, nodeA, nodeB)
    known.set(key, far)
    return far
  }
}

/**
 * Messages between pairs of ranks: number of pairs over all steps (`pairs`), sum of the messages' sizes in units of the
 * pattern (`total`), and mean size of a pair in a step (`average`; 0 without pairs).
 */
export interface Communication {
  readonly pairs: number
  readonly total: number
  readonly average: number
}

/** Network traffic of a pattern. Messages between ranks of one node do not count. */
export interface Traffic {
  /** Sum over all messages of size times distance (Mangat and Malakar; Agarwal et al., IPDPS 2006). */
  readonly hopBytes: number
  /** Messages between nodes of different leaves. */
  readonly interSwitch: Communication
  /** Messages between nodes of one leaf. */
  readonly intraSwitch: Communication
}

/**
 * Returns the traffic of a job with a pattern.
 *
 * @param ranks node of each rank: the `ranks` of an allocation, or its nodes if the allocation has no `ranks`
 * @throws RangeError if the pattern is for another number of ranks than the job has
 */
export function trafficOf(topology: Topology, ranks: ArrayLike<number>, pattern: Pattern): Traffic {
  const { leafOfNode } = topology
  const distanceOf = leafDistances(topology)
  const all = { hopBytes: 0, pairs: [0, 0], sizes: [0, 0] }
  const step = { hopBytes: 0, pairs: [0, 0], sizes: [0, 0] }
  const pair = (first: number, second: number, size: number): void => {
    const nodeA = ranks[first]
    const nodeB = ranks[second]
    if (nodeA === nodeB) return
    const within = leafOfNode[nodeA] === leafOfNode[nodeB] ? WITHIN_LEAF : BETWEEN_LEAVES
    step.hopBytes += size * distanceOf(nodeA, nodeB)
    step.pairs[within]++
    step.sizes[within] += size
  }
  pattern.forEachPair(ranks.length, pair, (times) => {
    all.hopBytes += times * step.hopBytes
    step.hopBytes = 0
    for (const within of [BETWEEN_LEAVES, WITHIN_LEAF]) {
      all.pairs[within] += times * step.pairs[within]
      all.sizes[within] += times * step.sizes[within]
      step.pairs[within] = step.sizes[within] = 0
    }
  })
  return {
    hopBytes: all.hopBytes,
    interSwitch: communication(all.pairs[BETWEEN_LEAVES], all.sizes[BETWEEN_LEAVES]),
    intraSwitch: communication(all.pairs[WITHIN_LEAF], all.sizes[WITHIN_LEAF]),
  }
}

const BETWEEN_LEAVES = 0
const WITHIN_LEAF = 1

function communication(pairs: number, total: number): Communication {
  return { pairs, total, average: pairs === 0 ? 0 : total / pairs }
}

/**
 * Returns the average pairwise hops of a job (Pollard et al., equation 1): the mean number of links between switches
 * over all ordered pairs of its nodes. A pair on one leaf has 0 hops, a pair on two leaves of one pod 2 hops. Returns 0
 * for fewer than two nodes.
 */
export function averagePairwiseHops(topology: Topology, nodes: ArrayLike<number>): number {
  const counts = [...nodesOnLeaves(topology, nodes).entries()].filter(([, count]) => count > 0)
  let hops = 0
  let total = 0
  counts.forEach(([leafA, countA], at) => {
    total += countA
    for (const [leafB, countB] of counts.slice(0, at)) {
      hops +=
        2 *
        countA *
        countB *
        2 *
        lowestCommonLevel(topology, topology.firstNodeOfLeaf[leafA], topology.firstNodeOfLeaf[leafB])
    }
  })
  return total < 2 ? 0 : hops / (total * (total - 1))
}
