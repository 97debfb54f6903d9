import type { Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, distance, effectiveHops } from './effective-hops.ts'

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
