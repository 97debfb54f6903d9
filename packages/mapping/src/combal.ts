import { evenSizes, type Graph, graphOf, partition } from '@cloister/graph-partition'
import { ranksOnLeaves } from '@cloister/lowest-switch'
import type { ByteMatrix, Mapper } from '@cloister/placement'

/** A leaf that a job may use. */
export interface LeafRoom {
  readonly leaf: number
  /** Nodes that it has for the job. */
  readonly free: number
  /** Nodes on it that run jobs that communicate. */
  readonly communicating: number
}

/** How uneven the parts may be that a job is divided into. */
export interface CombalOptions {
  /** `even`: Combal, as even as METIS makes them; `unbalanced`: uCombal, as the fullest leaf is to the middle one. */
  readonly balance: 'even' | 'unbalanced'
  /** Of uCombal: that ratio of free nodes rounded up, as the slides have it, or as it is, as the code has it. */
  readonly factor: 'rounded-up' | 'ratio'
}

/** Divisions of one matrix that were found before: who asks often about it keeps them. Of as many as are asked for, so clear it now and then. */
export type Divisions = Map<string, Int32Array>

/** METIS's default for k parts: so many times the average. */
const EVEN = 1.03
/** Messages are counted in pages; pairs that send each other less have no edge. */
const PAGE = 4096
const ROUNDS = 5

/**
 * Which leaf each rank goes to (Mangat and Malakar, JSSPP 2025): the ranks are divided into as many parts as leaves of the
 * middle size hold, with little between them, and the parts go to the leaves, the largest to the one with most free nodes.
 *
 * @param rooms with at least as many nodes together as the matrix has ranks
 * @param divisions of this matrix
 * @returns the leaf of each rank
 */
export function combalLeaves(
  matrix: ByteMatrix,
  rooms: ReadonlyArray<LeafRoom>,
  options: CombalOptions,
  divisions: Divisions = new Map(),
): Int32Array {
  const leafOf = new Int32Array(matrix.length)
  let unplaced = Array.from(matrix.keys())
  let left = sortedRooms(rooms)
  for (let round = 0; round < ROUNDS && unplaced.length > middle(left); round++) {
    const parts = partsOf(matrix, unplaced, left, options, divisions)
    unplaced = placeParts(parts, left, leafOf)
    left = sortedRooms(left)
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

/** Most free nodes first; of equal ones those with fewer nodes that communicate, then the lower id. */
function sortedRooms(rooms: ReadonlyArray<LeafRoom>): Array<LeafRoom> {
  return rooms
    .filter(({ free }) => free > 0)
    .sort((a, b) => b.free - a.free || a.communicating - b.communicating || a.leaf - b.leaf)
}

/** Of an even number the larger of the two in the middle. */
function middleAt(rooms: ReadonlyArray<LeafRoom>): number {
  return Math.floor((rooms.length - 1) / 2)
}

function middle(rooms: ReadonlyArray<LeafRoom>): number {
  return rooms.length === 0 ? Infinity : rooms[middleAt(rooms)].free
}

/** Largest first; each has its ranks in ascending order. */
function partsOf(
  matrix: ByteMatrix,
  ranks: ReadonlyArray<number>,
  rooms: ReadonlyArray<LeafRoom>,
  { balance, factor }: CombalOptions,
  divisions: Divisions,
): ReadonlyArray<ReadonlyArray<number>> {
  const count = Math.ceil(ranks.length / middle(rooms))
  const ratio = rooms[0].free / middle(rooms)
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

/** A leaf gets one part at most. A part for which the next leaf has no room waits. @returns the ranks of those that wait */
function placeParts(
  parts: ReadonlyArray<ReadonlyArray<number>>,
  rooms: Array<LeafRoom>,
  leafOf: Int32Array,
): Array<number> {
  const waiting: Array<number> = []
  let next = 0
  for (const part of parts) {
    const room = rooms[next]
    if (room === undefined || part.length > room.free) {
      waiting.push(...part)
      continue
    }
    for (const rank of part) leafOf[rank] = room.leaf
    rooms[next++] = { ...room, free: room.free - part.length }
  }
  return waiting.sort((a, b) => a - b)
}

/** Combal's order on nodes that are given: as if they were all that is free. */
export const combalOrder: Mapper = {
  contract: 2,
  name: 'combal',
  map(topology, nodes, matrix) {
    const { leafOfNode } = topology
    const counts = new Map<number, number>()
    for (let at = 0; at < nodes.length; at++) {
      const leaf = leafOfNode[nodes[at]]
      counts.set(leaf, (counts.get(leaf) ?? 0) + 1)
    }
    const rooms = Array.from(counts, ([leaf, free]) => ({ leaf, free, communicating: 0 }))
    const leafOf = combalLeaves(matrix, rooms, { balance: 'even', factor: 'rounded-up' })
    return ranksOnLeaves(nodes, leafOfNode, leafOf)
  },
}
