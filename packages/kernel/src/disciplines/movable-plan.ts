import type { Claims, ClusterState, Placement } from '@cloister/placement'
import type { KnownRefusals } from '../questions.ts'
import { areSamePlacement } from '../reservation.ts'
import type { Scheduler } from '../scheduler.ts'
import { ClaimedResources } from './marked-placements.ts'
import type { PlannedRun, PlannedStates } from './planned-states.ts'
import type { ReservationPlan, Slot } from './reservation-plan.ts'

interface Move {
  readonly slot: Slot
  readonly placement: Placement
}

/** Changes of reservations that let a job run. */
export interface WayMade {
  readonly moves: ReadonlyArray<Move>
  /** Reservations that would start later than planned; empty if no reservation may be lost. */
  readonly lost: ReadonlyArray<Slot>
}

/** First reservation that has no placement at its time beside the job and may not be lost. */
export interface Delayed {
  readonly delayed: Slot
}

/** A job that would run on a placement from `start` up to, not including, `end`. Times are integer milliseconds. */
export interface Intruder {
  readonly job: number
  readonly placement: Placement
  readonly start: number
  readonly end: number
  /** Present reservation of the job, which the plan omits; undefined if the job has none. */
  readonly own: Slot | undefined
}

/** Finds placements for jobs at later times, and new placements for the reservations that such a job would block. */
export class MovablePlan<Index> {
  readonly #scheduler: Scheduler<Index>
  readonly #plan: ReservationPlan
  readonly #isMonotone: boolean
  /** True if the policy keeps jobs apart by a rule: a job on a free placement may then still disturb its neighbours. */
  readonly #hasRule: boolean
  readonly #claimed: ClaimedResources
  readonly #states: PlannedStates<Index>

  constructor(
    scheduler: Scheduler<Index>,
    plan: ReservationPlan,
    states: PlannedStates<Index>,
    { links, monotone }: Claims,
  ) {
    this.#scheduler = scheduler
    this.#plan = plan
    this.#hasRule = links === 'rule'
    this.#claimed = new ClaimedResources(scheduler.state.topology)
    this.#states = states
    this.#isMonotone = monotone
  }

  /**
   * Returns a placement in the state expected at the start of the run, without the nodes and links of the withheld
   * reservations.
   *
   * @param withheld all reservations that hold at the start; or all reservations that overlap the run
   * @param own present reservation of the job, which the plan omits
   */
  placementAt(
    job: number,
    run: PlannedRun,
    withheld: ReadonlyArray<Slot>,
    own: Slot | undefined,
  ): Placement | undefined {
    const placement = this.#isPlanned(run)
      ? this.#placementBeside(job, run, withheld, own)
      : this.#placementNow(job, withheld)
    if (placement !== undefined) this.#scheduler.checkPlacement(job, placement)
    return placement
  }

  /** Returns true if the policy refused an equal request in the state expected at `time`. */
  isRefused(job: number, time: number): boolean {
    return this.#scheduler.questions.isRefused(job, this.#states.refusedAt(time))
  }

  /** The current state differs from the planned state for now while a job runs whose expected end is now. */
  #isPlanned({ start, isLater }: PlannedRun): boolean {
    const { running } = this.#scheduler.state
    return isLater || running.length === 0 || running[0].estimatedEnd > start
  }

  #placementBeside(
    job: number,
    run: PlannedRun,
    withheld: ReadonlyArray<Slot>,
    own: Slot | undefined,
  ): Placement | undefined {
    const { questions } = this.#scheduler
    const { start: time, isLater } = run
    const later = withheld.filter(({ start }) => start > time).map(({ placement }) => placement)
    const ask = (state: ClusterState<Index>, refused: KnownRefusals | undefined): Placement | undefined =>
      isLater
        ? questions.placeLater(job, state, time, refused)
        : questions.place(job, state, 'start', refused, withheld)
    if (later.length === 0) return ask(this.#states.at(time), this.#states.refusedAt(time))
    const remembers = this.#isMonotone && !questions.areReasonsWantedOf(job)
    if (remembers && this.#states.isRefusedBeside(job, run, own?.start ?? Infinity)) return undefined
    const { searchBounds } = questions
    const fork = this.#states.at(time).fork()
    fork.withholdAll(later)
    const placement = ask(fork, undefined)
    fork.drop()
    // After a bounded search, the policy may find a placement in a state with fewer free nodes.
    if (remembers && placement === undefined && questions.searchBounds === searchBounds)
      this.#states.addRefusedBeside(job, run)
    return placement
  }

  #placementNow(job: number, withheld: ReadonlyArray<Slot>): Placement | undefined {
    const fork = this.#scheduler.state.fork()
    fork.withholdAll(withheld.map(({ placement }) => placement))
    const placement = this.#scheduler.questions.place(job, fork, 'start', undefined, withheld)
    fork.drop()
    return placement
  }

  /**
   * Finds new placements for the reservations that the intruder blocks, in order of their starts. A moved reservation
   * may block further reservations.
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

  #placementFor(
    slot: Slot,
    intruder: Intruder,
    moved: ReadonlyMap<Slot, Placement>,
    lost: ReadonlySet<Slot>,
  ): Placement | undefined {
    const { questions } = this.#scheduler
    const time = slot.start
    const isAlone = this.#isMonotone && moved.size === 0 && lost.size === 0 && !questions.areReasonsWantedOf(slot.job)
    const { own } = intruder
    const isOwnUnderway = own !== undefined && own.start <= time && time < own.end
    if (isAlone && !isOwnUnderway && this.#states.isBlocked(slot, intruder.placement)) return undefined
    const fork = this.#stateBeside(slot, intruder, moved, lost, isOwnUnderway)
    const placement = questions.placeLater(slot.job, fork, time)
    fork.drop()
    if (placement !== undefined) this.#scheduler.checkPlacement(slot.job, placement)
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
    // The planned states include the intruder's own reservation, so this state is built from the plan.
    return isOwnUnderway
      ? this.#states.forkAnew(time, gone, elsewhere)
      : this.#states.forkWithout(time, gone, elsewhere)
  }
}
