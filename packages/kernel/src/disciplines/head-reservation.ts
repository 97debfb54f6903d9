import type { Allocation, Claims, ClusterState, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { KnownRefusals } from '../known-refusals.ts'
import {
  areSamePlacement,
  canKeep,
  placementBeside,
  type RecordedReservation,
  type Reservation,
  stateWithReservation,
} from '../reservation.ts'
import { findReservation } from '../reservation-search.ts'
import type { EasyBackfill } from '../simulation.ts'
import { MarkedPlacement } from './marked-placement.ts'
import { ShadowState } from './shadow-state.ts'

/** Reservation of the head of the queue under EASY. */
export class HeadReservation<Index> {
  /** Undefined if the queue is empty, or if the policy refuses the head even after the ends of all running jobs. */
  current: RecordedReservation | undefined
  readonly #dispatcher: Dispatcher<Index>
  readonly #isMonotone: boolean
  readonly #isCapped: boolean
  readonly #links: Claims['links']
  readonly #isForced: boolean
  readonly #isReplanned: boolean
  /** True if, since the last `update`, nodes or links became free earlier than the shadow time assumed. */
  #canBeSooner = false
  /** True if an overrun, a start or a failure since the last `update` may have broken the reservation. */
  #canBeInvalid = false
  /** Current state without the reserved nodes and links; undefined until its first use. */
  #state: ClusterState<Index> | undefined
  /** Request keys that the policy refused in `#state`, beside the reservation. */
  readonly #refused = new KnownRefusals()
  /** Request keys whose placement would delay the head, and that the policy refuses beside the reservation. */
  readonly #delaying = new KnownRefusals()
  readonly #shadow: ShadowState<Index>
  readonly #reserved: MarkedPlacement

  /** @param options with `kill`, the reservation moves later only after a failure */
  constructor(
    dispatcher: Dispatcher<Index>,
    { monotone, links }: Claims,
    { kill, replan }: Pick<EasyBackfill, 'kill' | 'replan'>,
  ) {
    this.#dispatcher = dispatcher
    this.#isMonotone = monotone
    this.#isCapped = links === 'capped'
    this.#links = links
    this.#isForced = kill === true
    this.#isReplanned = replan === true && !this.#isForced
    this.#shadow = new ShadowState(dispatcher.state)
    this.#reserved = new MarkedPlacement(dispatcher.state.topology)
  }

  isDue(head: number): boolean {
    return this.current?.job === head && this.current.start <= this.#dispatcher.now
  }

  /** Returns the reserved placement if due and free: the head may start on it although the policy refuses the head. */
  reservedPlacement(head: number): Placement | undefined {
    if (!this.isDue(head)) return undefined
    const { placement } = this.current!
    return this.#dispatcher.canStartOn(placement) ? placement : undefined
  }

  /** Withdraws the reservation if the head has changed, for example by a new job that comes first in queue order. */
  afterStarts(head: number | undefined, haveStarted: boolean): void {
    if (this.current === undefined) return
    if (this.current.job !== head) {
      this.#withdraw(this.current)
      this.#set(undefined)
    } else if (haveStarted) this.#canBeInvalid = true
  }

  /** Makes the head's reservation, or moves it after an event: later only if the reserved time cannot be kept. */
  update(head: number): void {
    const { current } = this
    if (current === undefined) this.#reserve(head, this.#find(head, Infinity))
    else {
      // If no job ended early, starts only took nodes and links: a monotone policy finds no earlier shadow time.
      const sooner = this.#canBeSooner || !this.#isMonotone ? this.#find(head, current.start) : undefined
      if (sooner !== undefined || !this.#isKept(current)) {
        this.#withdraw(current)
        this.#reserve(head, sooner ?? this.#find(head, Infinity))
      } else if (this.#isReplanned) this.#replan(current)
    }
    this.#canBeSooner = false
    this.#canBeInvalid = false
  }

  /** Replaces the reserved placement by the policy's current answer for the head at the same shadow time. */
  #replan(current: RecordedReservation): void {
    const { queries } = this.#dispatcher
    const placement = queries.placeLater(current.job, this.#shadow.at(current.start), current.start)
    // A placement with a nonexistent node or link must end the run before the old reservation is withdrawn.
    if (placement !== undefined) this.#dispatcher.checkPlacement(current.job, placement)
    if (placement !== undefined && !areSamePlacement(placement, current.placement)) this.#move(current, placement)
  }

  #isKept(reservation: Reservation): boolean {
    const { now, state } = this.#dispatcher
    if (this.#isForced) return state.isUp(reservation.placement)
    return reservation.start > now && (!this.#canBeInvalid || canKeep(state, reservation))
  }

  #find(head: number, before: number): Reservation | undefined {
    const { state, jobs, queries } = this.#dispatcher
    return findReservation(state, jobs[head].size, this.#isMonotone, before, (later, time) =>
      queries.placeLater(head, later, time),
    )
  }

  #reserve(head: number, found: Reservation | undefined): void {
    if (found === undefined) return this.#set(undefined)
    this.#set({ ...found, job: head, seq: this.#dispatcher.reserve(head, found) })
  }

  #withdraw({ job, seq }: RecordedReservation): void {
    const { recorder, jobs, now, cause } = this.#dispatcher
    recorder.record({ type: 'unreserve', t: now, job: jobs[job].id, for: seq, cause })
  }

  #set(reservation: RecordedReservation | undefined): void {
    this.current = reservation
    this.#refused.forget()
    this.#delaying.forget()
    this.#dropState()
  }

  tryBackfill(job: number): Placement | undefined {
    const { current } = this
    const { queries, state } = this.#dispatcher
    if (current === undefined || queries.isRefused(job, this.#refused) || queries.isRefused(job, queries.refused))
      return undefined
    this.#state ??= stateWithReservation(state, current)
    return queries.place(job, this.#state, 'backfill', this.#refused, [current])
  }

  /** Returns true if an earlier job with the same request key would have delayed the head. */
  isKnownToDelay(job: number): boolean {
    return this.#dispatcher.queries.isPlacedInVain(job, this.#delaying)
  }

  addDelaying(job: number): void {
    this.#dispatcher.queries.addPlacedInVain(job, this.#delaying)
  }

  /** Returns true if a job that runs past the shadow time would leave too few free nodes for the head. */
  leavesTooFewNodes(job: number): boolean {
    const { current } = this
    const { queries } = this.#dispatcher
    if (current === undefined || queries.areReasonsWantedOf(job)) return false
    return queries.sizeOf(job) + queries.sizeOf(current.job) > this.#shadow.at(current.start).freeNodes
  }

  /**
   * Returns true if the head keeps a placement at the shadow time beside a job on `placement`. Moves the reservation if
   * the head then needs different nodes or links.
   */
  makesWay(job: number, placement: Placement): boolean {
    const { current } = this
    if (current === undefined) return true
    if (this.#leavesReserved(placement, current)) return true
    if (this.#shadow.blocking.includes(placement)) return false
    // If the placement is not free, the start of the job reports the policy's fault.
    if (!this.#dispatcher.canStartOn(placement)) return true
    const elsewhere = this.#placementBeside(job, placement, current)
    if (elsewhere === undefined) {
      if (this.#isMonotone) this.#shadow.blocking.add(placement)
      return false
    }
    if (elsewhere !== current.placement) this.#dispatcher.checkPlacement(current.job, elsewhere)
    if (!areSamePlacement(elsewhere, current.placement)) this.#move(current, elsewhere)
    return true
  }

  /** Always false under `links: rule`: a job may then disturb the head on any links, not only on reserved ones. */
  #leavesReserved(placement: Placement, { start, placement: reserved }: RecordedReservation): boolean {
    if (this.#links === 'rule') return false
    if (this.#reserved.placement !== reserved) this.#reserved.set(reserved)
    return this.#reserved.isApartFrom(placement) && this.#shadow.at(start).isFree(reserved, reserved.bandwidth)
  }

  #placementBeside(job: number, placement: Placement, current: RecordedReservation): Placement | undefined {
    const { queries } = this.#dispatcher
    return placementBeside(
      this.#shadow.at(current.start),
      current,
      this.#dispatcher.expectedAllocation(job, placement),
      this.#links,
      (later) => this.#dispatcher.keeping(job, placement, () => queries.placeLater(current.job, later, current.start)),
    )
  }

  #move(reservation: RecordedReservation, placement: Placement): void {
    this.#withdraw(reservation)
    this.#reserve(reservation.job, { start: reservation.start, placement })
  }

  onStart(allocation: Allocation): void {
    this.#delaying.forget()
    this.#shadow.onStart(allocation)
    if (this.current?.job === this.#dispatcher.jobOf(allocation)) this.#set(undefined)
    else if (this.#isCapped) this.#dropState()
    else this.#state?.occupy(allocation)
  }

  onRelease(allocation: Allocation): void {
    // The shadow time already assumes the ends of all jobs that are expected to end by then.
    const start = this.current?.start ?? Infinity
    if (allocation.estimatedEnd > this.#dispatcher.now && allocation.estimatedEnd >= start) this.#canBeSooner = true
    this.#refused.forget()
    this.#delaying.forget()
    this.#shadow.onRelease(allocation)
    if (this.#isCapped) this.#dropState()
    else this.#state?.release(allocation)
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    this.#delaying.forget()
    this.#shadow.onOverrun(allocation, extended)
    // If jobs share links up to a cap, the bandwidth left on a link at the shadow time depends on the expected ends.
    if (this.#isCapped) this.#dropState()
    else this.#state?.replace(allocation, extended)
    if (this.current !== undefined && extended.estimatedEnd > this.current.start) this.#canBeInvalid = true
  }

  onOutage(change: 'down' | 'up'): void {
    if (change === 'down') this.#canBeInvalid = true
    else this.#canBeSooner = true
    this.#refused.forget()
    this.#delaying.forget()
    this.#shadow.drop()
    this.#dropState()
  }

  #dropState(): void {
    this.#state?.drop()
    this.#state = undefined
  }
}
