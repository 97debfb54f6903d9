import type { PlacementPolicy, StateView } from '@cloister/placement'
import { type Divide, fillLeaves, LeafHeap, LowestSwitchPlacer } from '@cloister/policy-slurm-tree'
import type { Topology } from '@cloister/topology'
import { Schema } from 'effect'
import { communicationRatio } from './communication-ratio.ts'
import { version } from './version.ts'

export { communicationRatio } from './communication-ratio.ts'

/** There is nothing to configure. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(Schema.String, Schema.Never.annotate({ message: 'no such field: greedy has nothing to configure' }))

/**
 * Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM* (ICPP Workshops 2020), Algorithm 1: below the
 * lowest switch with enough free nodes, jobs that communicate get the leaves of lowest communication ratio, others those of highest.
 */
export const greedy: PlacementPolicy<Config> = {
  contract: 1,
  name: 'greedy',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, byCommunicationRatio(topology)),
}
export default greedy

function byCommunicationRatio({ leaves: count, firstNodeOfLeaf }: Topology): Divide {
  const heap = new LeafHeap(count)
  const ratio = (state: StateView, leaf: number): number =>
    communicationRatio(state.communicatingNodesOnLeaf(leaf), state.busyNodesOnLeaf(leaf), firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  return (state, { nodes, communication }, leaves, shares) => {
    const sign = communication === undefined ? -1 : 1
    heap.fill(state, leaves, (leaf) => sign * ratio(state, leaf))
    fillLeaves(state, heap, nodes, shares)
  }
}
