import {
  type AcrossPods,
  PartitionConfig,
  partitionPlacer,
  type PartitionIndex,
  type TreeShape,
  WholeLeaves,
} from '@cloister/isolation'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { version } from './version.ts'

export type { PartitionConfig as Config } from '@cloister/isolation'

/**
 * Links as a Service (Zahavi et al., ANCS 2016) as the Jigsaw paper has it (HPDC 2021, 5.2.1): a partition for each job
 * under the two-level conditions; a job that no single pod can hold is rounded up to whole leaves, and placed under the
 * same conditions one level up.
 */
export const laas: PlacementPolicy<PartitionConfig, PartitionIndex> = {
  contract: 2,
  name: 'laas',
  version,
  config: Schema.toStandardSchemaV1(PartitionConfig, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) =>
    partitionPlacer(topology, config, (tree) => ({
      rule: 'laas',
      exactSize: tree.pods === 1,
      acrossPods: (search) => roundedUp(tree, new WholeLeaves(tree, config.order, search)),
    })),
}
export default laas

/**
 * Leaves as nodes, L2 switches as leaves, spines as L2 switches: the L2 switches of one index and their spines are a
 * two-level tree with all leaves below, so the conditions are those of whole leaves across pods, without a remainder leaf.
 */
function roundedUp({ wholeLeaf }: TreeShape, wholeLeaves: WholeLeaves): AcrossPods {
  const inLeaves = (nodes: number): number => Math.ceil(nodes / wholeLeaf) * wholeLeaf
  return {
    find: (state, index, nodes) => wholeLeaves.find(state, index, inLeaves(nodes)),
    // Less than a leaf more than all whole ones is no whole leaf.
    mostNodes: (index) => Math.floor(wholeLeaves.mostNodes(index) / wholeLeaf) * wholeLeaf,
  }
}
