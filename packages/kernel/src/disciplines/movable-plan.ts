import type { Claims, ClusterState, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import type { KnownRefusals } from '../known-refusals.ts'
import { areSamePlacement } from '../reservation.ts'
import { ClaimedParts } from './claimed-parts.ts'
import type { PlannedStates } from './planned-states.ts'
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

/** A reservation that is somewhere at its time, but nowhere beside a job. */
export interface Delayed {
  readonly delayed: Slot
}

/** A job on a placement from its start up to, not including, its end. */
export interface Intruder {
  readonly job: number
  readonly placement: Placement
  readonly start: number
  readonly end: number
  /** What was reserved for it so far; the plan is without that. */
  readonly own: Slot | undefined
}

/** Where jobs can be placed at later times, and where reservations can go that a job would be in the way of. */
export class MovablePlan<Index> {
  readonly #dispatcher: Dispatcher<Index>
  readonly #plan: ReservationPlan
  readonly #isMonotone: boolean
  /** Where a rule keeps links apart, what is free may still be in the way of a neighbour. */
  readonly #hasRule: boolean
  readonly #claimed: ClaimedParts
  readonly #states: PlannedStates<Index>

  constructor(
    dispatcher: Dispatcher<Index>,
    plan: ReservationPlan,
    states: PlannedStates<Index>,
    { links, monotone }: Claims,
  ) {
    this.#dispatcher = dispatcher
    this.#plan = plan
    this.#hasRule = links === 'rule'
    this.#claimed = new ClaimedParts(dispatcher.state.topology)
    this.#states = states
    this.#isMonotone = monotone
  }

  /**
   * A placement for the job in the state expected at a time, apart from these reservations.
   *
   * @param isLater whether all jobs that are expected to end by then are gone, also where the time is now
   * @param withheld all that are underway then, and perhaps some that start later
   */
  placementAt(job: number, time: number, isLater: boolean, withheld: ReadonlyArray<Slot>): Placement | undefined {
    const placement = this.#isPlanned(time, isLater)
      ? this.#placementBeside(job, time, isLater, withheld)
      : this.#placementNow(job, withheld)
    if (placement !== undefined) this.#dispatcher.checkPlacement(job, placement)
    return placement
  }

  /** Whether the policy is known to refuse such a job in the state expected at a time, whatever starts later. */
  isRefused(job: number, time: number): boolean {
    return this.#dispatcher.queries.isRefused(job, this.#states.refusedAt(time))
  }

  /** Jobs of no length end in a further round of this instant: as long as one runs, now is not what is planned for now. */
  #isPlanned(time: number, isLater: boolean): boolean {
    const { running } = this.#dispatcher.state
    return isLater || running.length === 0 || running[0].estimatedEnd > time
  }

  #placementBeside(job: number, time: number, isLater: boolean, withheld: ReadonlyArray<Slot>): Placement | undefined {
    const { queries } = this.#dispatcher
    const later = withheld.filter(({ start }) => start > time).map(({ placement }) => placement)
    const ask = (state: ClusterState<Index>, refused: KnownRefusals | undefined): Placement | undefined =>
      isLater ? queries.placeLater(job, state, time, refused) : queries.place(job, state, 'start', refused, withheld)
    const planned = this.#states.at(time)
    if (later.length === 0) return ask(planned, this.#states.refusedAt(time))
    const fork = planned.fork()
    fork.withholdAll(later)
    const placement = ask(fork, undefined)
    fork.drop()
    return placement
  }

  #placementNow(job: number, withheld: ReadonlyArray<Slot>): Placement | undefined {
    const fork = this.#dispatcher.state.fork()
    fork.withholdAll(withheld.map(({ placement }) => placement))
    const placement = this.#dispatcher.queries.place(job, fork, 'start', undefined, withheld)
    fork.drop()
    return placement
  }

  /**
   * Moves the reservations that start while the job runs there, one after the other in order of their starts, and those that the moved
   * ones are in the way of; none in time. The first one is told that can be nowhere and may not be lost.
   */
  makeWay(intruder: Intruder, mayLose: (slot: Slot) => boolean): WayMade | Delayed {
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
      else return { delayed: slot }
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
    const isAlone = this.#isMonotone && moved.size === 0 && lost.size === 0 && !queries.areReasonsWantedOf(slot.job)
    const { own } = intruder
    const isOwnUnderway = own !== undefined && own.start <= time && time < own.end
    if (isAlone && !isOwnUnderway && this.#states.isBlocked(slot, intruder.placement)) return undefined
    const fork = this.#stateBeside(slot, intruder, moved, lost, isOwnUnderway)
    const placement = queries.placeLater(slot.job, fork, time)
    fork.drop()
    if (placement !== undefined) this.#dispatcher.checkPlacement(slot.job, placement)
    else if (isAlone && time < intruder.end) this.#states.addBlocking(slot, intruder.placement)
    return placement
  }

  #stateBeside(
    slot: Slot,
    intruder: Intruder,
    moved: ReadonlyMap<Slot, Placement>,
    lost: ReadonlySet<Slot>,
    isOwnUnderway: boolean,
  ): ClusterState<Index> {
    const time = slot.start
    const underway = this.#plan.overlapping(undefined, time, time + 1)
    const gone = underway.filter((other) => other === slot || lost.has(other) || moved.has(other))
    const elsewhere = underway.flatMap((other) => moved.get(other) ?? [])
    if (time < intruder.end) elsewhere.push(intruder.placement)
    // What is known of times when something is reserved for the job counts with that.
    return isOwnUnderway
      ? this.#states.forkAnew(time, gone, elsewhere)
      : this.#states.forkWithout(time, gone, elsewhere)
  }
}
