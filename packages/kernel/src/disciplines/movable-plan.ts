import type { Claims, ClusterState, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { areSamePlacement } from '../reservation.ts'
import { ClaimedParts } from './claimed-parts.ts'
import type { ReservationPlan, Slot } from './reservation-plan.ts'

/** A reservation that keeps its time on other nodes and links. */
export interface Move {
  readonly slot: Slot
  readonly placement: Placement
}

/** How reservations give way to a job. */
export interface WayMade {
  /** In order of their starts. */
  readonly moves: ReadonlyArray<Move>
  /** Those that cannot keep their times, where they may lose them. */
  readonly lost: ReadonlyArray<Slot>
}

/** A job on a placement from its start up to, not including, its end. */
interface Intruder {
  readonly job: number
  readonly placement: Placement
  readonly start: number
  readonly end: number
}

/** Where jobs can be placed at later times, and where reservations can go that a job would be in the way of. */
export class MovablePlan<Index> {
  readonly #dispatcher: Dispatcher<Index>
  readonly #plan: ReservationPlan
  /** Where a rule keeps links apart, what is free may still be in the way of a neighbour. */
  readonly #hasRule: boolean
  readonly #claimed: ClaimedParts

  constructor(dispatcher: Dispatcher<Index>, plan: ReservationPlan, links: Claims['links']) {
    this.#dispatcher = dispatcher
    this.#plan = plan
    this.#hasRule = links === 'rule'
    this.#claimed = new ClaimedParts(dispatcher.state.topology)
  }

  /**
   * A placement for the job in the state expected at a time, apart from these reservations.
   *
   * @param isLater whether all jobs that are expected to end by then are gone, also where the time is now
   */
  placementAt(job: number, time: number, isLater: boolean, withheld: ReadonlyArray<Slot>): Placement | undefined {
    const fork = this.#stateAt(
      time,
      isLater,
      withheld.map(({ placement }) => placement),
    )
    const { queries } = this.#dispatcher
    const placement = isLater
      ? queries.placeLater(job, fork, time)
      : queries.place(job, fork, 'start', undefined, withheld)
    fork.drop()
    if (placement !== undefined) this.#dispatcher.checkPlacement(job, placement)
    return placement
  }

  /**
   * Moves the reservations that start while the job runs there, one after the other in order of their starts, and those that the moved
   * ones are in the way of; none in time. Undefined where one can be nowhere and may not be lost.
   */
  makeWay(intruder: Intruder, mayLose: (slot: Slot) => boolean): WayMade | undefined {
    const { job, placement, start, end } = intruder
    this.#claimed.clear()
    this.#claimed.claim(placement, end)
    const moved = new Map<Slot, Placement>()
    const lost = new Set<Slot>()
    for (const slot of this.#plan.startingAfter(job, start)) {
      if (slot.start >= this.#claimed.latest) break
      if (!this.#hasRule && !this.#claimed.holdSome(slot.placement, slot.start)) continue
      const elsewhere = this.#placementFor(slot, intruder, moved, lost)
      if (elsewhere !== undefined) {
        if (areSamePlacement(elsewhere, slot.placement)) continue
        moved.set(slot, elsewhere)
        this.#claimed.claim(elsewhere, slot.end)
      } else if (mayLose(slot)) lost.add(slot)
      else return undefined
    }
    return { moves: [...moved].map(([slot, to]) => ({ slot, placement: to })), lost: [...lost] }
  }

  /** Beside all that is expected to run then, where the moved ones are by now. */
  #placementFor(
    slot: Slot,
    intruder: Intruder,
    moved: ReadonlyMap<Slot, Placement>,
    lost: ReadonlySet<Slot>,
  ): Placement | undefined {
    const { queries } = this.#dispatcher
    const time = slot.start
    const withheld = this.#plan
      .overlapping(slot.job, time, time + 1)
      .filter((other) => other.job !== intruder.job && !lost.has(other))
      .map((other) => moved.get(other) ?? other.placement)
    if (time < intruder.end) withheld.push(intruder.placement)
    const fork = this.#stateAt(time, true, withheld)
    const placement = queries.placeLater(slot.job, fork, time)
    fork.drop()
    if (placement !== undefined) this.#dispatcher.checkPlacement(slot.job, placement)
    return placement
  }

  #stateAt(time: number, isLater: boolean, withheld: ReadonlyArray<Placement>): ClusterState<Index> {
    const fork = this.#dispatcher.state.fork()
    if (isLater) fork.releaseUntil(time)
    fork.withholdAll(withheld)
    return fork
  }
}
