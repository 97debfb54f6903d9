import type { Topology } from '@cloister/topology'
import { type CommunicatingOnLeaf, distance, effectiveHops } from './effective-hops.ts'

/** What the messages of a job cost over all pairs of its ranks. */
export interface HopBytes {
  /** Bytes times distance (Agarwal et al., IPDPS 2006; Mangat and Malakar). */
  readonly plain: number
  /** Bytes times effective hops: each distance longer by the contention on its way. */
  readonly effective: number
}

/**
 * Hop-bytes of a communication matrix. Each pair of ranks counts once, with the mean of what its two send each other: of a
 * symmetric matrix, which has the same bytes in both directions, with those of one.
 *
 * @param others nodes of a leaf that run other jobs that communicate; the job's own are added
 * @param ranks node of each rank: an allocation's `ranks`, else its nodes
 * @param matrix `matrix[i][j]` bytes from rank i to rank j
 * @throws RangeError where the matrix is not of as many ranks
 */
export function hopBytes(
  topology: Topology,
  others: CommunicatingOnLeaf,
  ranks: ArrayLike<number>,
  matrix: ReadonlyArray<ArrayLike<number>>,
): HopBytes {
  if (ranks.length !== matrix.length)
    throw new RangeError(`the matrix is of ${matrix.length} ranks, the job has ${ranks.length}`)
  const hops = effectiveHops(topology, others, ranks)
  const far = leafDistances(topology)
  let [plain, effective] = [0, 0]
  for (let first = 0; first < ranks.length; first++) {
    for (let second = first + 1; second < ranks.length; second++) {
      const bytes = (matrix[first][second] + matrix[second][first]) / 2
      if (bytes === 0) continue
      plain += bytes * far(ranks[first], ranks[second])
      effective += bytes * hops(ranks[first], ranks[second])
    }
  }
  return { plain, effective }
}

/** Distances between nodes, each pair of leaves looked up once. */
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
