import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import { KnownRefusals } from '../questions.ts'
import type { Scheduler } from '../scheduler.ts'
import { BlockingPlacements, MarkedPlacement } from './marked-placements.ts'
import type { ReservationPlan, Slot } from './reservation-plan.ts'

/** A job with this request key would delay a reservation if the job ran from the `PlannedTime` to `end` or longer. */
interface Delaying extends Refused {
  readonly isLater: boolean
}

/** The policy refuses this request key beside all reservations that start before `end`. */
interface Refused {
  readonly key: number
  readonly end: number
}

/** State expected at one later time, with the policy's known answers about this state. */
interface PlannedTime<Index> {
  state: ClusterState<Index> | undefined
  /** Changes that `state` still lacks, in order. A state is changed only when it is needed. */
  changes: Array<(state: ClusterState<Index>) => void>
  /** Request keys that the policy refused in this state, or in an earlier version of the state with more free nodes. */
  readonly refused: KnownRefusals
  delaying: ReadonlyArray<Delaying>
  /** Like `refused`, but in this state without the nodes and links of later reservations. */
  refusedBeside: ReadonlyArray<Refused>
  /**
   * For each reservation that starts at this time: placements beside which the policy cannot place the reserving job.
   */
  readonly blocking: Map<Slot, BlockingPlacements>
}

/** Most changes of a state: to build the state again costs about as much as so many changes. */
const MOST_CHANGES = 16

/**
 * States expected at later times: jobs that end by then are gone, and reservations that hold then are withheld. A state
 * is made on first use, and kept until a run or reservation at its time changes. Refusals of a monotone policy are kept
 * until nodes or links become free at that time.
 */
export class PlannedStates<Index> {
  readonly #scheduler: Scheduler<Index>
  readonly #plan: ReservationPlan
  readonly #times = new Map<number, PlannedTime<Index>>()
  readonly #compared: MarkedPlacement

  constructor(scheduler: Scheduler<Index>, plan: ReservationPlan) {
    this.#scheduler = scheduler
    this.#plan = plan
    this.#compared = new MarkedPlacement()
  }

  /** Returns the state at `time`, now or later. A caller that changes the state forks it first. */
  at(time: number): ClusterState<Index> {
    const planned = this.#of(time)
    if (planned.state !== undefined) {
      for (const change of planned.changes) change(planned.state)
      planned.changes = []
      return planned.state
    }
    const state = this.#scheduler.state.fork()
    const underway = this.#plan.overlapping(undefined, time, time + 1)
    state.releaseUntil(
      time,
      underway.map(({ placement }) => placement),
    )
    planned.state = state
    return state
  }

  /**
   * Returns a fork of the state at `time`; the caller gives the fork back with `drop()`.
   *
   * @param gone reservations to remove, all of which hold at `time`
   * @param moved placements to withhold instead: of moved reservations, and of the job that makes them move
   */
  forkWithout(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const { state } = this.#scheduler
    // A state does not distinguish failed nodes from withheld nodes, nor held bandwidth from withheld bandwidth.
    if (gone.every((slot) => slot.placement.bandwidth === undefined && this.#plan.isUp(slot, state))) {
      const fork = this.at(time).fork()
      fork.withholdInstead(
        gone.map(({ placement }) => placement),
        moved,
      )
      return fork
    }
    return this.forkAnew(time, gone, moved)
  }

  /** Returns the same fork as `forkWithout`, but built from the current plan. */
  forkAnew(time: number, gone: ReadonlyArray<Slot>, moved: ReadonlyArray<Placement>): ClusterState<Index> {
    const others = this.#plan.overlapping(undefined, time, time + 1).filter((slot) => !gone.includes(slot))
    const fork = this.#scheduler.state.fork()
    fork.releaseUntil(time, [...others.map(({ placement }) => placement), ...moved])
    return fork
  }

  refusedAt(time: number): KnownRefusals {
    return this.#of(time).refused
  }

  /**
   * Returns true if the policy is known to refuse the job beside the reservations that overlap the run.
   *
   * @param until start of the job's own reservation, which the plan omits; refusals beside this reservation do not count
   */
  isRefusedBeside(job: number, { start, end }: PlannedRun, until: number): boolean {
    const key = this.#scheduler.requests.keyOf(job)
    return this.#of(start).refusedBeside.some((known) => known.key === key && known.end <= end && known.end <= until)
  }

  /** Remembers that a monotone policy refused the job beside the reservations that overlap the run. */
  addRefusedBeside(job: number, { start, end }: PlannedRun): void {
    const key = this.#scheduler.requests.keyOf(job)
    const planned = this.#of(start)
    if (key >= 0) planned.refusedBeside = [...planned.refusedBeside, { key, end }]
  }

  /**
   * Returns true if an equal run (same request key and start) that ends no later is known to delay a reservation.
   *
   * @param until start of the job's own reservation, which the plan omits; delays of longer runs do not count
   */
  isKnownToDelay(job: number, { start, end, isLater }: PlannedRun, until: number): boolean {
    const { delaying } = this.#of(start)
    if (delaying.length === 0) return false
    const key = this.#scheduler.questions.sharedKey(job)
    return delaying.some(
      (known) => known.key === key && known.isLater === isLater && known.end <= end && known.end <= until,
    )
  }

  /** Remembers that the run would delay a reservation. The plan up to the run's end must omit no reservation. */
  addDelaying(job: number, { start, end, isLater }: PlannedRun): void {
    const key = this.#scheduler.questions.sharedKey(job)
    if (key < 0) return
    const planned = this.#of(start)
    planned.delaying = [...planned.delaying, { key, isLater, end }]
  }

  isBlocked(slot: Slot, placement: Placement): boolean {
    const masks = this.#scheduler.state.masksOf(placement)
    return masks !== undefined && this.#of(slot.start).blocking.get(slot)?.includes(placement, masks) === true
  }

  addBlocking(slot: Slot, placement: Placement): void {
    const { blocking } = this.#of(slot.start)
    const known = blocking.get(slot) ?? new BlockingPlacements(this.#compared)
    known.add(placement, this.#scheduler.state.masksOf(placement)!)
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

  /** Updates the states after a reservation is made. */
  onReserved({ placement, start, end }: Slot): void {
    this.#onTakenBy(placement, start, end, (state) => state.withhold(placement))
  }

  #onTakenBy(
    { bandwidth }: Pick<Placement, 'bandwidth'>,
    from: number,
    until: number,
    change: (state: ClusterState<Index>) => void,
  ): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) {
        // A state does not distinguish held bandwidth from withheld bandwidth, so its changes cannot be undone.
        if (bandwidth !== undefined || planned.changes.length === MOST_CHANGES) dropState(planned)
        else if (planned.state !== undefined) planned.changes.push(change)
      }
      forgetDelaying(planned, from)
    }
  }

  /** Updates the states after nodes and links become free from `from` up to, not including, `until`. */
  onFreed(from: number, until: number): void {
    for (const [time, planned] of this.#times) {
      if (time >= until) continue
      if (time >= from) this.#forget(time, planned)
      else {
        forgetDelaying(planned, from)
        planned.refusedBeside = withoutThoseAfter(planned.refusedBeside, from)
      }
    }
  }

  /**
   * In states before its estimated end, the started job holds its allocation; in later states, the job has ended. If the
   * job starts as reserved, its nodes and links also stay withheld in the states before its end.
   */
  onStart(allocation: Allocation, now: number): void {
    this.#onTakenBy(allocation, now, allocation.estimatedEnd, (state) => state.occupy(allocation))
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

  /** Forgets known delays, because a policy's answer may depend on the expected ends of the running jobs. */
  #forgetDelaying(): void {
    for (const planned of this.#times.values()) planned.delaying = []
  }

  onPass(now: number): void {
    for (const [time, planned] of this.#times) if (time < now) this.#forget(time, planned)
  }

  forgetAll(): void {
    for (const [time, planned] of this.#times) this.#forget(time, planned)
  }

  #of(time: number): PlannedTime<Index> {
    const known = this.#times.get(time)
    if (known !== undefined) return known
    const planned = {
      state: undefined,
      changes: [],
      refused: new KnownRefusals(),
      delaying: [],
      refusedBeside: [],
      blocking: new Map(),
    }
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
  planned.changes = []
}

function forgetDelaying<Index>(planned: PlannedTime<Index>, from: number): void {
  planned.delaying = withoutThoseAfter(planned.delaying, from)
}

function withoutThoseAfter<Known extends Refused>(known: ReadonlyArray<Known>, from: number): ReadonlyArray<Known> {
  return known.some(({ end }) => end > from) ? known.filter(({ end }) => end <= from) : known
}
