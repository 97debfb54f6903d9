import type { IndexHooks, Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { FreeIndex } from './free-index.ts'
import { PartitionPlacer, type PartitionRules } from './partition-placer.ts'
import { treeShapeOf } from './tree-shape.ts'
import { UnevenPods } from './uneven-pods.ts'

/** Placer for leaves with different numbers of nodes, as a part of another placer. */
export type UnevenPlacer = Placer<FreeIndex> & { readonly index: IndexHooks<FreeIndex> }

/**
 * Returns a placer for a whole tree with absent parts. Jobs have full bandwidth on leaves with different numbers of nodes,
 * under the auditor's rule `nested-remainders`.
 *
 * @param present number of present nodes of each leaf
 * @throws Error if the search does not serve the tree, such as a tree of four levels
 */
export function unevenPlacer(whole: Topology, present: Int32Array): UnevenPlacer {
  const tree = treeShapeOf(whole, false, present)
  if ('unsupported' in tree) throw new Error(tree.unsupported)
  const config = { order: 'densest-first', leafJobsHoldUplinks: false } as const
  const rules: PartitionRules = {
    rule: 'nested-remainders',
    exactSize: true,
    acrossPods: (search) => new UnevenPods(tree, config.order, search, true),
  }
  return new PartitionPlacer(tree, config, rules, undefined)
}
