import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { KnownRefusals } from '../known-refusals.ts'
import { BlockingPlacements } from './blocking-placements.ts'
import { MarkedPlacement } from './marked-placement.ts'
import type { ReservationPlan, Slot } from './reservation-plan.ts'

/**
 * Known delay: a job with this request key would delay a reservation if the job started at one time and ran until `end`
 * or longer.
 */
interface Delaying {
  readonly key: number
  readonly isLater: boolean
  readonly end: number
}

/** Expected state of one time, with the known answers of the policy about this state. */
interface PlannedTime<Index> {
  state: ClusterState<Index> | undefined
  /** Refusals of the policy in the state, or in an earlier state with more free. */
  readonly refused: KnownRefusals
  delaying: ReadonlyArray<Delaying>
  /** Placements beside which a reservation that starts then has no placement. */
  readonly blocking: Map<Slot, BlockingPlacements>
}

/**
 * States expected at later times, with the policy's answers about them. In the state of a time, jobs that end by then
 * are gone, and reservations that hold then are withheld. A state is made on first use, and kept until something
 * changes at its time. Refusals of a monotone policy are kept until something becomes free at that time.
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

  /**
   * Returns the state expected at a time from now on, integer milliseconds. A caller that changes the state forks it
   * first.
   */
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
   * Returns a fork of the state at a time, with some reservations removed and some moved. Give the fork back with
   * `drop()`.
   *
   * @param gone reservations to remove, all of which hold at that time
   * @param moved new placements of moved reservations, and placements of further jobs
   */
  forkWithout(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const { state } = this.#dispatcher
    const places = gone.map(({ placement }) => placement)
    // A state does not distinguish failed nodes from withheld nodes, nor held bandwidth from withheld bandwidth.
    if (places.every((placement) => placement.bandwidth === undefined && state.isUp(placement))) {
      const fork = this.at(time).fork()
      fork.withholdInstead(places, moved)
      return fork
    }
    return this.forkAnew(time, gone, moved)
  }

  /** Returns the same fork as `forkWithout`, but built from the current plan instead of the kept state. */
  forkAnew(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const others = this.#plan.overlapping(undefined, time, time + 1).filter((slot) => !gone.includes(slot))
    const fork = this.#dispatcher.state.fork()
    fork.releaseUntil(time, [...others.map(({ placement }) => placement), ...moved])
    return fork
  }

  /** Returns the refusals of the policy at a time. */
  refusedAt(time: number): KnownRefusals {
    return this.#of(time).refused
  }

  /**
   * Tests whether the job is known to delay a reservation: its placement would delay one before the known run's end,
   * and the job runs at least as long.
   *
   * @param until start of the job's own reservation, which the plan omits; later knowledge does not count
   */
  isKnownToDelay(job: number, { start, end, isLater }: PlannedRun, until: number): boolean {
    const { delaying } = this.#of(start)
    if (delaying.length === 0) return false
    const key = this.#dispatcher.queries.sharedKey(job)
    return delaying.some(
      (known) => known.key === key && known.isLater === isLater && known.end <= end && known.end <= until,
    )
  }

  /** Remembers a delaying run. The plan up to the end of the run must be the plan that all other jobs see. */
  addDelaying(job: number, { start, end, isLater }: PlannedRun): void {
    const key = this.#dispatcher.queries.sharedKey(job)
    if (key < 0) return
    const planned = this.#of(start)
    planned.delaying = [...planned.delaying, { key, isLater, end }]
  }

  /** Tests whether a reservation is known to have no placement at its time beside a job on this placement. */
  isBlocked(slot: Slot, placement: Placement): boolean {
    return this.#of(slot.start).blocking.get(slot)?.includes(placement) === true
  }

  addBlocking(slot: Slot, placement: Placement): void {
    const { blocking } = this.#of(slot.start)
    const known = blocking.get(slot) ?? new BlockingPlacements(this.#compared)
    known.add(placement)
    blocking.set(slot, known)
  }

  /** Updates the states after more nodes and links are taken from `from` up to, not including, `until`. */
  onTaken(from: number, until: number): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) dropState(planned)
      forgetDelaying(planned, from)
    }
  }

  /** Updates the states after nodes and links become free from `from` up to, not including, `until`. */
  onFreed(from: number, until: number): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) this.#forget(time, planned)
      else forgetDelaying(planned, from)
    }
  }

  /** Updates the states after a start: until its estimated end the job holds its allocation, and later it has ended. */
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

  /** Forgets known delays, because a policy may place jobs by the ends of the running jobs. */
  #forgetDelaying(): void {
    for (const planned of this.#times.values()) planned.delaying = []
  }

  /** Forgets past times. */
  onPass(now: number): void {
    for (const [time, planned] of this.#times) if (time < now) this.#forget(time, planned)
  }

  /** Forgets all states, because anything may have changed. */
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

/** A run from `start` up to, not including, `end`. `isLater` is true if jobs that end by the start count as ended. */
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
