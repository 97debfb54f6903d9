import { type Divide, fillLeaves, LeafHeap, LowestSwitchPlacer } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { Schema } from 'effect'
import { version } from './version.ts'

/** Configuration of the policy slurm-tree: an empty object. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: slurm-tree has nothing to configure' }),
)

/**
 * The policy slurm-tree places jobs like Slurm under select/linear and topology/tree. A job goes below the lowest
 * switch with enough free nodes, and takes the leaves with fewest free nodes first.
 */
export const slurmTree: PlacementPolicy<Config> = {
  contract: 1,
  name: 'slurm-tree',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, fewestFreeFirst(topology)),
}
export default slurmTree

function fewestFreeFirst(topology: Topology): Divide {
  const heap = new LeafHeap(topology.leaves)
  return (state, { nodes }, leaves, shares) => {
    heap.fill(state, leaves, (leaf) => state.freeNodesOnLeaf(leaf))
    fillLeaves(state, heap, nodes, shares)
  }
}
