import { describeIrregularity, type Topology } from '@cloister/topology'
import type { Config } from './config.ts'

/** How the leaves of a machine are grouped on one level, in groups of equal size one after the other. */
export interface Grouping {
  /** Leaves of a group. */
  readonly leaves: number
  /** Nodes of a whole group; of the last one some may not be installed. */
  readonly nodes: number
}

/** The groupings in which nodes are looked for, from small to large; the last one is a single group. */
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
