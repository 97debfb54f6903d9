import type { Allocation, ClusterState, Placement } from '@cloister/placement'

/**
 * The running jobs that hold some of what a placement needs, if ending all of them would free it; else none.
 *
 * @param mayEnd which jobs may be preempted
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

/** Whether a job holds something that a placement needs: a node, a link, or bandwidth of a shared link that has too little left. */
export function isInTheWay<Index>(state: ClusterState<Index>, allocation: Allocation, placement: Placement): boolean {
  const links = placement.links.map((ids, level) => inCommon(ids, allocation.links[level] ?? []))
  return !state.isFree({ nodes: inCommon(placement.nodes, allocation.nodes), links }, placement.bandwidth)
}

function inCommon(ids: ArrayLike<number>, others: ArrayLike<number>): ReadonlyArray<number> {
  const known = new Set(Array.from(others))
  return Array.from(ids).filter((id) => known.has(id))
}
