import type { Allocation, ClusterState, Placement } from '@cloister/placement'

/**
 * Returns the jobs on nodes or links of a placement that may be killed; none if their ends would not free the
 * placement.
 *
 * @param mayEnd returns true if a job may be killed
 */
export function preemptible<Index>(
  state: ClusterState<Index>,
  placement: Placement,
  mayEnd: (allocation: Allocation) => boolean,
): Array<Allocation> {
  const inTheWay = state.running.filter((allocation) => mayEnd(allocation) && isInTheWay(state, allocation, placement))
  if (inTheWay.length === 0) return []
  const fork = state.fork()
  for (const allocation of inTheWay) fork.release(allocation)
  const isEnough = fork.isFree(placement, placement.bandwidth)
  fork.drop()
  return isEnough ? inTheWay : []
}

/** Returns true if a job holds a node, a link or scarce shared bandwidth that a placement needs. */
export function isInTheWay<Index>(state: ClusterState<Index>, allocation: Allocation, placement: Placement): boolean {
  const links = placement.links.map((ids, level) => inCommon(ids, allocation.links[level] ?? []))
  return !state.isFree({ nodes: inCommon(placement.nodes, allocation.nodes), links }, placement.bandwidth)
}

function inCommon(ids: ArrayLike<number>, others: ArrayLike<number>): ReadonlyArray<number> {
  const known = new Set(Array.from(others))
  return Array.from(ids).filter((id) => known.has(id))
}
