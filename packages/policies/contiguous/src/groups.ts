import { describeIrregularity, type Topology } from '@cloister/topology'
import type { Config } from './config.ts'

/** Division of the leaves of a machine into consecutive groups of equal size: the subtrees of one level. */
export interface Grouping {
  readonly leaves: number
  /** Number of nodes of a group. Some nodes of the last group may not be installed. */
  readonly nodes: number
}

/**
 * Returns the groupings that a search uses, small groups first, or the reason why the policy does not serve the
 * topology.
 */
export function groupingsOf(
  topology: Topology,
  search: Config['search'],
): ReadonlyArray<Grouping> | { readonly unsupported: string } {
  const { leaves, nodes, pgft } = topology
  if (search === 'first-fit') return [{ leaves, nodes }]
  if (pgft === undefined)
    return { unsupported: `${describeIrregularity(topology)}; its subtrees of a level must be of one size` }
  const groupings: Array<Grouping> = []
  for (let level = 0, size = 1; level < pgft.m.length; level++) {
    if (level > 0) size *= pgft.m[level]
    groupings.push({ leaves: size, nodes: size * pgft.m[0] })
  }
  return groupings
}
