import {
  type AcrossPods,
  PartitionConfig,
  partitionPlacer,
  type PartitionIndex,
  type TreeShape,
  UnevenPods,
  WholeLeaves,
} from '@cloister/isolation'
import type { PlacementPolicy } from '@cloister/placement'
import { version } from './version.ts'

export type { PartitionConfig as Config } from '@cloister/isolation'

/**
 * The policy Links as a Service (Zahavi et al., ANCS 2016), as described in the Jigsaw paper (HPDC 2021, 5.2.1). Each
 * job owns a partition by the two-level conditions. If no single pod can hold a job, the policy rounds the size of the
 * job up to whole leaves and applies the two-level conditions one level up.
 */
export const laas: PlacementPolicy<PartitionConfig, PartitionIndex> = {
  contract: 1,
  name: 'laas',
  version,
  config: PartitionConfig,
  make: (topology, config) =>
    partitionPlacer(topology, config, (tree) => ({
      rule: 'laas',
      exactSize: tree.pods === 1,
      fewestUplinks: config.search === 'as-released',
      acrossPods: (search) =>
        tree.present === undefined
          ? roundedUp(tree, new WholeLeaves(tree, config.order, search))
          : new UnevenPods(tree, config.order, search, false),
    })),
}
export default laas

/**
 * One level up, leaves take the part of nodes, L2 switches take the part of leaves, and spines take the part of L2
 * switches. The two-level conditions are then Jigsaw's conditions for whole leaves across pods, without a remainder
 * leaf.
 */
function roundedUp({ wholeLeaf }: TreeShape, wholeLeaves: WholeLeaves): AcrossPods {
  const inLeaves = (nodes: number): number => Math.ceil(nodes / wholeLeaf) * wholeLeaf
  return {
    find: (state, index, nodes) => wholeLeaves.find(state, index, inLeaves(nodes)),
    // `wholeLeaves.mostNodes` counts a remainder leaf, which LaaS does not use.
    mostNodes: (index) => Math.floor(wholeLeaves.mostNodes(index) / wholeLeaf) * wholeLeaf,
    wholeNodes: inLeaves,
  }
}
