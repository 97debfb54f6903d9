import type { Allocation, Claims, ClusterState, Placement } from '@cloister/placement'

/** Planned start of a waiting job. */
export interface Reservation {
  /** Planned time of the start, integer milliseconds. */
  readonly start: number
  readonly placement: Placement
}

export interface RecordedReservation extends Reservation {
  readonly job: number
  readonly seq: number
}

/**
 * Returns a fork of the state without the reserved nodes and links, for jobs that will still run at the shadow time.
 * The caller gives the fork back with `drop()`.
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
 * Returns a placement for the head at its shadow time beside a second job: the reserved one if it stays free, or the
 * answer of `ask`.
 *
 * @param expected the state at the shadow time, without the second job; restored before the function returns
 * @param links the policy's claim. Under `rule`, a job may disturb the head on any links, so `ask` always decides
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

/** Returns true if the reserved nodes and links are expected to be free at the reserved time. */
export function canKeep<Index>(state: ClusterState<Index>, reservation: Reservation): boolean {
  const fork = state.fork()
  fork.releaseUntil(reservation.start)
  const free = fork.isFree(reservation.placement, reservation.placement.bandwidth)
  fork.drop()
  return free
}

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
