import type { ClusterState, Placement } from '@cloister/placement'

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

/** Whether all nodes and links of a reservation are expected to be free at its start. */
export function canKeep<Index>(state: ClusterState<Index>, reservation: Reservation): boolean {
  const fork = state.fork()
  fork.releaseUntil(reservation.start)
  const free = fork.isFree(reservation.placement, reservation.placement.bandwidth)
  fork.drop()
  return free
}
