import type { Allocation, Claims, ClusterState, Placement } from '@cloister/placement'

/** Where and when the head of the queue will start at the latest. */
export interface Reservation {
  /** The shadow time, integer milliseconds. */
  readonly start: number
  readonly placement: Placement
}

export interface RecordedReservation extends Reservation {
  readonly job: number
  /** Of its record. */
  readonly seq: number
}

/** A fork in which all is free that a job may have which still runs when the reservation starts. Give it back with `drop()`. */
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
 * Where the head can be placed at the start of its reservation if another job is running too then: on what is reserved where that stays
 * free, else where `ask` finds something.
 *
 * @param expected the state at that time, without the other job; it is left as it was
 * @param links those claimed by the policy: where a rule keeps them apart, what is free may still be in the way of a neighbour
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

/** Whether all nodes and links of a reservation are expected to be free at its start. */
export function canKeep<Index>(state: ClusterState<Index>, reservation: Reservation): boolean {
  const fork = state.fork()
  fork.releaseUntil(reservation.start)
  const free = fork.isFree(reservation.placement, reservation.placement.bandwidth)
  fork.drop()
  return free
}

/** Whether two placements name the same nodes and links. */
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
