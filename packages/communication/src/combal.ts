import type { ByteMatrix, Mapper } from '@cloister/placement'
import { evenSizes, type Graph, graphOf } from './graph-partition/graph.ts'
import { partition } from './graph-partition/partition.ts'
import { ranksOnLeaves } from './lowest-switch.ts'

/** Nodes of one leaf that `combalLeaves` may give to a job. */
export interface LeafCapacity {
  readonly leaf: number
  /** Number of the leaf's nodes that the job may use. */
  readonly free: number
  /** Number of the leaf's nodes that run communicating jobs. */
  readonly communicating: number
}

/** Allowed differences between the sizes of a job's parts, in ranks. */
export interface CombalOptions {
  /**
   * `even`: METIS's default tolerance (Combal). `unbalanced`: a part may have the average number of ranks times the
   * ratio of the free nodes of the leaf with the most free nodes to the free nodes of the middle leaf (uCombal).
   */
  readonly balance: 'even' | 'unbalanced'
  /** Ratio under `unbalanced`: rounded up, as in the slides of Mangat and Malakar, or exact, as in their code. */
  readonly factor: 'rounded-up' | 'ratio'
}

/**
 * Remembered divisions of one matrix, for a caller with many requests for the same matrix. The map grows with every new
 * division, so the caller must clear it from time to time.
 */
export type Divisions = Map<string, Int32Array>

/** METIS's default tolerance for k parts, as a factor of the average. */
const EVEN = 1.03
/**
 * Size of a page in bytes. The weight of a pair of ranks is its messages (mean of both directions) in whole pages; at
 * 0, the pair has no edge in the graph.
 */
const PAGE = 4096
const ROUNDS = 5

/**
 * Returns the leaf of each rank (Mangat and Malakar, JSSPP 2025). The ranks are divided into parts with little
 * communication between parts, as many parts as needed for an average part to fit on the leaf with the middle number of
 * free nodes. The largest part goes to the leaf with the most free nodes, and so on.
 *
 * @param capacities in total at least one node for each rank of the matrix
 * @param divisions earlier divisions of this matrix
 */
export function combalLeaves(
  matrix: ByteMatrix,
  capacities: ReadonlyArray<LeafCapacity>,
  options: CombalOptions,
  divisions: Divisions = new Map(),
): Int32Array {
  const leafOf = new Int32Array(matrix.length)
  let unplaced = Array.from(matrix.keys())
  let left = sortedCapacities(capacities)
  for (let round = 0; round < ROUNDS && unplaced.length > middle(left); round++) {
    const parts = partsOf(matrix, unplaced, left, options, divisions)
    unplaced = placeParts(parts, left, leafOf)
    left = sortedCapacities(left)
  }
  if (unplaced.length > 0 && unplaced.length <= middle(left)) {
    const { leaf } = left[middleAt(left)]
    for (const rank of unplaced) leafOf[rank] = leaf
  } else {
    let next = 0
    for (const { leaf, free } of left.toReversed())
      for (const rank of unplaced.slice(next, (next += free))) leafOf[rank] = leaf
  }
  return leafOf
}

/** Sorts leaves: most free nodes first, then fewer communicating nodes, then the lower id. */
function sortedCapacities(capacities: ReadonlyArray<LeafCapacity>): Array<LeafCapacity> {
  return capacities
    .filter(({ free }) => free > 0)
    .sort((a, b) => b.free - a.free || a.communicating - b.communicating || a.leaf - b.leaf)
}

/** Returns the place of the middle leaf; for an even number of leaves, of the middle leaf with more free nodes. */
function middleAt(capacities: ReadonlyArray<LeafCapacity>): number {
  return Math.floor((capacities.length - 1) / 2)
}

function middle(capacities: ReadonlyArray<LeafCapacity>): number {
  return capacities.length === 0 ? Infinity : capacities[middleAt(capacities)].free
}

/** Divides ranks into parts, and returns the parts, largest first, each with its ranks in ascending order. */
function partsOf(
  matrix: ByteMatrix,
  ranks: ReadonlyArray<number>,
  capacities: ReadonlyArray<LeafCapacity>,
  { balance, factor }: CombalOptions,
  divisions: Divisions,
): ReadonlyArray<ReadonlyArray<number>> {
  const count = Math.ceil(ranks.length / middle(capacities))
  const ratio = capacities[0].free / middle(capacities)
  const uneven = ratio === 1 ? EVEN : factor === 'ratio' ? ratio : Math.ceil(ratio)
  const tolerance = balance === 'even' ? EVEN : uneven
  const key = `${count} ${tolerance} ${ranks.length === matrix.length ? 'all' : ranks.join()}`
  const partOf = divisions.get(key) ?? partition(pagesOf(matrix, ranks), evenSizes(ranks.length, count, tolerance))
  divisions.set(key, partOf)
  const parts = Array.from({ length: count }, (): Array<number> => [])
  ranks.forEach((rank, at) => parts[partOf[at]].push(rank))
  return parts.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length)
}

function pagesOf(matrix: ByteMatrix, ranks: ReadonlyArray<number>): Graph {
  return graphOf(ranks.length, (a, b) => {
    const [first, second] = [ranks[a], ranks[b]]
    return Math.floor((matrix[first][second] + matrix[second][first]) / 2 / PAGE)
  })
}

/** Places at most one part on each leaf. Returns the ranks of the parts larger than the next leaf, ascending. */
function placeParts(
  parts: ReadonlyArray<ReadonlyArray<number>>,
  capacities: Array<LeafCapacity>,
  leafOf: Int32Array,
): Array<number> {
  const waiting: Array<number> = []
  let next = 0
  for (const part of parts) {
    const capacity = capacities[next]
    if (capacity === undefined || part.length > capacity.free) {
      waiting.push(...part)
      continue
    }
    for (const rank of part) leafOf[rank] = capacity.leaf
    capacities[next++] = { ...capacity, free: capacity.free - part.length }
  }
  return waiting.sort((a, b) => a - b)
}

/** Mapper that assigns the ranks of a job to its nodes as Combal would if only these nodes were free. */
export const combalOrder: Mapper = {
  contract: 1,
  name: 'combal',
  map(topology, nodes, matrix) {
    const { leafOfNode } = topology
    const ofLeaf = Map.groupBy(Array.from(nodes), (node) => leafOfNode[node])
    const capacities = Array.from(ofLeaf, ([leaf, { length }]) => ({ leaf, free: length, communicating: 0 }))
    const leafOf = combalLeaves(matrix, capacities, { balance: 'even', factor: 'rounded-up' })
    return ranksOnLeaves(nodes, leafOfNode, leafOf)
  },
}
