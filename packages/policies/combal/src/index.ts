import {
  combalLeaves,
  type CombalOptions,
  type Divide,
  type Divisions,
  fillLeaves,
  type LeafCapacity,
  LeafHeap,
  LowestSwitchPlacer,
} from '@cloister/communication'
import type { PlacementPolicy, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy combal. */
export type Config = CombalOptions

const Config = v.strictObject({
  balance: v.exactOptional(
    v.pipe(
      v.picklist(['even', 'unbalanced']),
      v.description('sizes of the parts of a job: even (Combal), or as uneven as the free nodes of leaves (uCombal)'),
    ),
    'even',
  ),
  factor: v.exactOptional(
    v.pipe(
      v.picklist(['rounded-up', 'ratio']),
      v.description('with balance unbalanced: the ratio of free nodes of two leaves, rounded up or exact'),
    ),
    'rounded-up',
  ),
})

/**
 * The policy combal: Mangat and Malakar, *Communication-balanced Job Allocation using SLURM* (JSSPP 2025). A job goes
 * below the lowest switch with enough free nodes. Ranks that exchange many bytes get nodes of one leaf.
 */
export const combal: PlacementPolicy<Config> = {
  contract: 1,
  name: 'combal',
  version,
  config: Config,
  make: (topology, config) => new LowestSwitchPlacer(topology, byMatrix(topology, config)),
}
export default combal

/** Largest number of remembered divisions of a matrix. Many jobs share a matrix, and a division takes milliseconds. */
const REMEMBERED = 1000

/**
 * Divides a job by its communication matrix; a job without a matrix fills the leaves with the fewest free nodes first.
 */
function byMatrix(topology: Topology, options: CombalOptions): Divide {
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
      const leafOfRank = combalLeaves(matrix.bytes, capacitiesOf(state, leaves), options, divisions)
      for (const leaf of leafOfRank) shares[leaf]++
      return leafOfRank
    }
    // Among leaves with equally many free nodes, the leaf with more communicating nodes comes first, so that leaves
    // with less communication stay free for communication-intensive jobs.
    const most = topology.nodes + 1
    heap.fill(state, leaves, (leaf) => state.freeNodesOnLeaf(leaf) * most - state.communicatingNodesOnLeaf(leaf))
    fillLeaves(state, heap, nodes, shares)
    return undefined
  }
}

function capacitiesOf(state: StateView, leaves: Int32Array): ReadonlyArray<LeafCapacity> {
  return Array.from(leaves, (leaf) => ({
    leaf,
    free: state.freeNodesOnLeaf(leaf),
    communicating: state.communicatingNodesOnLeaf(leaf),
  }))
}
