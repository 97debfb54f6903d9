import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { KnownRefusals } from '../known-refusals.ts'
import { BlockingPlacements } from './blocking-placements.ts'
import { MarkedPlacement } from './marked-placement.ts'
import type { ReservationPlan, Slot } from './reservation-plan.ts'

/** Jobs of one key that would delay a reservation if they ran from one time until this one, or longer. */
interface Delaying {
  readonly key: number
  readonly isLater: boolean
  readonly end: number
}

/** What is known of one time. */
interface PlannedTime<Index> {
  state: ClusterState<Index> | undefined
  /** What the policy refused in the state, or where more was free. */
  readonly refused: KnownRefusals
  delaying: ReadonlyArray<Delaying>
  /** For a reservation that starts then: beside what it can be nowhere. */
  readonly blocking: Map<Slot, BlockingPlacements>
}

/**
 * The states expected at later times, and what the policy said of them: the jobs that end by then are gone, what is reserved for then
 * is withheld. A state is made when it is first needed, and kept as long as nothing changes at its time; what a monotone policy refuses
 * there, as long as nothing comes free.
 */
export class PlannedStates<Index> {
  readonly #dispatcher: Dispatcher<Index>
  readonly #plan: ReservationPlan
  readonly #times = new Map<number, PlannedTime<Index>>()
  readonly #compared: MarkedPlacement

  constructor(dispatcher: Dispatcher<Index>, plan: ReservationPlan) {
    this.#dispatcher = dispatcher
    this.#plan = plan
    this.#compared = new MarkedPlacement(dispatcher.state.topology)
  }

  /** The state at a time from now on, integer milliseconds; whoever wants to change it forks it. */
  at(time: number): ClusterState<Index> {
    const planned = this.#of(time)
    if (planned.state !== undefined) return planned.state
    const state = this.#dispatcher.state.fork()
    const underway = this.#plan.overlapping(undefined, time, time + 1)
    state.releaseUntil(
      time,
      underway.map(({ placement }) => placement),
    )
    planned.state = state
    return state
  }

  /**
   * A fork of the state at a time, with some reservations gone and others elsewhere. Give it back with `drop()`.
   *
   * @param gone of those that are underway then
   * @param moved where those are that moved, and whatever else holds something
   */
  forkWithout(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const { state } = this.#dispatcher
    const places = gone.map(({ placement }) => placement)
    // What broke meanwhile, and bandwidth, cannot be told from what is withheld.
    if (places.every((placement) => placement.bandwidth === undefined && state.isUp(placement))) {
      const fork = this.at(time).fork()
      fork.withholdInstead(places, moved)
      return fork
    }
    return this.forkAnew(time, gone, moved)
  }

  /** The same, made of the plan as it is now for a moment. */
  forkAnew(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const others = this.#plan.overlapping(undefined, time, time + 1).filter((slot) => !gone.includes(slot))
    const fork = this.#dispatcher.state.fork()
    fork.releaseUntil(time, [...others.map(({ placement }) => placement), ...moved])
    return fork
  }

  /** What the policy refused at a time. */
  refusedAt(time: number): KnownRefusals {
    return this.#of(time).refused
  }

  /**
   * Whether such a job is known to be placed where it would delay a reservation before a time up to which it runs at the least.
   *
   * @param until the plan is without what is reserved for the job from here on
   */
  isKnownToDelay(job: number, { start, end, isLater }: PlannedRun, until: number): boolean {
    const { delaying } = this.#of(start)
    if (delaying.length === 0) return false
    const key = this.#dispatcher.queries.sharedKey(job)
    return delaying.some(
      (known) => known.key === key && known.isLater === isLater && known.end <= end && known.end <= until,
    )
  }

  /** The plan is as it is for all other jobs until then. */
  addDelaying(job: number, { start, end, isLater }: PlannedRun): void {
    const key = this.#dispatcher.queries.sharedKey(job)
    if (key < 0) return
    const planned = this.#of(start)
    planned.delaying = [...planned.delaying, { key, isLater, end }]
  }

  /** Whether a reservation is known to find no place at its time beside a job on this placement. */
  isBlocked(slot: Slot, placement: Placement): boolean {
    return this.#of(slot.start).blocking.get(slot)?.includes(placement) === true
  }

  addBlocking(slot: Slot, placement: Placement): void {
    const { blocking } = this.#of(slot.start)
    const known = blocking.get(slot) ?? new BlockingPlacements(this.#compared)
    known.add(placement)
    blocking.set(slot, known)
  }

  /** More is held or reserved from one time up to, not including, another. */
  onTaken(from: number, until: number): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) dropState(planned)
      forgetDelaying(planned, from)
    }
  }

  /** Less is. */
  onFreed(from: number, until: number): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) this.#forget(time, planned)
      else forgetDelaying(planned, from)
    }
  }

  /** A job has started: by then it holds something, or will have ended. */
  onStart(allocation: Allocation, now: number): void {
    this.onTaken(now, allocation.estimatedEnd)
    for (const [time, { state }] of this.#times) if (time >= allocation.estimatedEnd) state?.willHaveEnded(allocation)
    this.#forgetDelaying()
  }

  onRelease(allocation: Allocation, now: number): void {
    this.onFreed(now, allocation.estimatedEnd)
    for (const [time, { state }] of this.#times) if (time >= allocation.estimatedEnd) state?.hasEnded(allocation)
    this.#forgetDelaying()
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    this.onTaken(allocation.estimatedEnd, extended.estimatedEnd)
    for (const [time, { state }] of this.#times) {
      if (time < extended.estimatedEnd) continue
      state?.hasEnded(allocation)
      state?.willHaveEnded(extended)
    }
    this.#forgetDelaying()
  }

  /** A policy may place jobs by when others end. */
  #forgetDelaying(): void {
    for (const planned of this.#times.values()) planned.delaying = []
  }

  /** Times before this one are past. */
  onPass(now: number): void {
    for (const [time, planned] of this.#times) if (time < now) this.#forget(time, planned)
  }

  /** Anything may have changed. */
  forgetAll(): void {
    for (const [time, planned] of this.#times) this.#forget(time, planned)
  }

  #of(time: number): PlannedTime<Index> {
    const known = this.#times.get(time)
    if (known !== undefined) return known
    const planned = { state: undefined, refused: new KnownRefusals(), delaying: [], blocking: new Map() }
    this.#times.set(time, planned)
    return planned
  }

  #forget(time: number, planned: PlannedTime<Index>): void {
    dropState(planned)
    this.#times.delete(time)
  }
}

/** A job from one time up to, not including, another; `isLater` where all that end by its start are gone. */
export interface PlannedRun {
  readonly start: number
  readonly end: number
  readonly isLater: boolean
}

function dropState<Index>(planned: PlannedTime<Index>): void {
  planned.state?.drop()
  planned.state = undefined
}

function forgetDelaying<Index>(planned: PlannedTime<Index>, from: number): void {
  if (planned.delaying.some(({ end }) => end > from))
    planned.delaying = planned.delaying.filter(({ end }) => end <= from)
}
