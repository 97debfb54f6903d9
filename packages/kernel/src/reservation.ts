import type { Allocation, Claims, ClusterState, Placement } from '@cloister/placement'

/** Planned start of a blocked job: its placement and its shadow time. */
export interface Reservation {
  /** The shadow time, integer milliseconds. */
  readonly start: number
  readonly placement: Placement
}

export interface RecordedReservation extends Reservation {
  readonly job: number
  /** Seq of the reserve record. */
  readonly seq: number
}

/**
 * Returns a fork of the state for jobs that will still run at the shadow time: the reservation's nodes and links are
 * withheld. Give the fork back with `drop()`.
 */
export function stateWithReservation<Index>(
  state: ClusterState<Index>,
  { start, placement }: Reservation,
): ClusterState<Index> {
  const fork = state.fork()
  if (placement.bandwidth === undefined) fork.withhold(placement)
  else {
    const later = state.fork()
    later.releaseUntil(start)
    fork.withholdReservation(placement, placement.bandwidth, later)
    later.drop()
  }
  return fork
}

/**
 * Returns a placement for the head at its shadow time beside a second job. The reserved placement is kept if it stays
 * free; otherwise `ask` searches.
 *
 * @param expected the state at the shadow time, without the other job; restored before the function returns
 * @param links the policy's claim about links. Under 'rule', a free placement may still disturb its neighbours, so
 * `ask` decides
 */
export function placementBeside<Index>(
  expected: ClusterState<Index>,
  { placement }: Reservation,
  other: Allocation,
  links: Claims['links'],
  ask: (expected: ClusterState<Index>) => Placement | undefined,
): Placement | undefined {
  expected.apply(other)
  const isUntouched = links !== 'rule' && expected.isFree(placement, placement.bandwidth)
  const found = isUntouched ? placement : ask(expected)
  expected.release(other)
  return found
}

/** Returns true if all nodes and links of a reservation are expected to be free at the reservation's start. */
export function canKeep<Index>(state: ClusterState<Index>, reservation: Reservation): boolean {
  const fork = state.fork()
  fork.releaseUntil(reservation.start)
  const free = fork.isFree(reservation.placement, reservation.placement.bandwidth)
  fork.drop()
  return free
}

/** Returns true if two placements name the same nodes and links. */
export function areSamePlacement(a: Placement, b: Placement): boolean {
  return (
    a === b ||
    (isEqual(a.nodes, b.nodes) &&
      a.links.length === b.links.length &&
      a.links.every((ids, level) => isEqual(ids, b.links[level])))
  )
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
