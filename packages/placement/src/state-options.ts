import type { Topology } from '@cloister/topology'
import type { Resources } from './allocation.ts'
import type { IndexHooks } from './contract.ts'
import type { IdLayout } from './resource-masks.ts'

/** Options of `ClusterState`: the functions of a policy's index, and the capacity of shared links. */
export interface StateOptions<Index> {
  readonly index?: IndexHooks<Index> | undefined
  /** Bandwidth that all jobs together may hold on one link, in MB/s. At 0, the default, one job owns a link alone. */
  readonly linkCapacity?: number
}

/** Nodes and links of a reservation. `bandwidth`, in MB/s on each link, is set if the policy claims `capped` links. */
export interface Withheld extends Resources {
  readonly bandwidth?: number
}

/** Returns the number of integers of all masks and counters of a state. `capped`: jobs share links up to a capacity. */
export function cellCount(
  { leaves, pods, levels }: Topology,
  layouts: ReadonlyArray<IdLayout>,
  capped: boolean,
): number {
  const maskWords = layouts.reduce((sum, { first, words }) => sum + 3 * words * (first.length - 1), 0)
  const links = capped ? levels.reduce((sum, level) => sum + level.links, 0) : 0
  return maskWords + links + 4 * leaves + 2 * pods + 1
}
