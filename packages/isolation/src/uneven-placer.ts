import type { Placer } from '@cloister/placement'
import type { FreeIndex } from './free-index.ts'
import { PartitionPlacer, type PartitionRules } from './partition-placer.ts'
import type { TreeShape } from './tree-shape.ts'
import { UnevenPods } from './uneven-pods.ts'

/**
 * Returns a placer for leaves with different numbers of nodes, as a part of another placer. Jobs have full bandwidth
 * under the auditor's rule `nested-remainders`.
 *
 * @param tree whole tree with absent parts, on which jobs own no shares
 */
export function unevenPlacer(tree: TreeShape): Placer<FreeIndex> {
  const config = { order: 'densest-first', leafJobsHoldUplinks: false } as const
  const rules: PartitionRules = {
    rule: 'nested-remainders',
    exactSize: true,
    acrossPods: (search) => new UnevenPods(tree, config.order, search, true),
  }
  return new PartitionPlacer(tree, config, rules, undefined)
}
