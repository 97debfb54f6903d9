import { type Divide, fillLeaves, LeafHeap } from '@cloister/lowest-switch'
import { combalLeaves, type CombalOptions, type Divisions, type LeafRoom } from '@cloister/mapping'
import type { StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Of each matrix so many divisions are remembered: jobs of one matrix come again and again, and a division takes milliseconds. */
const REMEMBERED = 1000

/** Jobs of which it is known what their ranks send each other are divided by that; others fill the leaves with fewest free nodes. */
export function byMatrix(topology: Topology, options: CombalOptions): Divide {
  const heap = new LeafHeap(topology.leaves)
  const known = new Map<string, Divisions>()
  const divisionsOf = (sha256: string): Divisions => {
    const divisions = known.get(sha256) ?? new Map()
    if (divisions.size >= REMEMBERED) divisions.clear()
    known.set(sha256, divisions)
    return divisions
  }
  return (state, { nodes, communication }, leaves, shares) => {
    const matrix = communication?.matrix
    if (matrix?.bytes.length === nodes) {
      const divisions = divisionsOf(matrix.sha256)
      const leafOfRank = combalLeaves(matrix.bytes, roomsOf(state, leaves), options, divisions)
      for (const leaf of leafOfRank) shares[leaf]++
      return leafOfRank
    }
    // Of equal leaves the one with more nodes that communicate: others are kept for jobs that do.
    const most = topology.nodes + 1
    heap.fill(state, leaves, (leaf) => state.freeNodesOnLeaf(leaf) * most - state.communicatingNodesOnLeaf(leaf))
    fillLeaves(state, heap, nodes, shares)
    return undefined
  }
}

function roomsOf(state: StateView, leaves: Int32Array): ReadonlyArray<LeafRoom> {
  return Array.from(leaves, (leaf) => ({
    leaf,
    free: state.freeNodesOnLeaf(leaf),
    communicating: state.communicatingNodesOnLeaf(leaf),
  }))
}
