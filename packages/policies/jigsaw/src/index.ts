import { PartitionConfig, partitionPlacer, type PartitionIndex, UnevenPods, WholeLeaves } from '@cloister/isolation'
import type { PlacementPolicy } from '@cloister/placement'
import { version } from './version.ts'

export type { PartitionConfig as Config } from '@cloister/isolation'

/**
 * The policy Jigsaw (Smith and Lowenthal, *Jigsaw*, HPDC 2021, sections 3.2 and 4, Algorithm 1). Each job owns a
 * partition of nodes and links with the bandwidth of a dedicated fat tree. On a tapered tree, each job owns its share of
 * the tree.
 */
export const jigsaw: PlacementPolicy<PartitionConfig, PartitionIndex> = {
  contract: 1,
  name: 'jigsaw',
  version,
  config: PartitionConfig,
  make: (topology, config) =>
    partitionPlacer(topology, config, (tree) => ({
      // Conditions (1) to (6) are about full bandwidth and equal leaves; nested-remainders is a rule for shares and for
      // uneven leaves, too.
      rule: tree.isShare || tree.present !== undefined ? 'nested-remainders' : 'jigsaw-conditions',
      exactSize: true,
      acrossPods: (search) =>
        tree.present === undefined
          ? new WholeLeaves(tree, config.order, search)
          : new UnevenPods(tree, config.order, search, true),
    })),
}
export default jigsaw
