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

/** The reservation of the head of the queue under EASY. */
export class HeadReservation<Index> {
  /** Undefined where the queue is empty, or where the head cannot be placed even when all running jobs have ended. */
  current: RecordedReservation | undefined
  readonly #dispatcher: Dispatcher<Index>
  readonly #isMonotone: boolean
  readonly #isCapped: boolean
  readonly #links: Claims['links']
  readonly #isForced: boolean
  readonly #replans: boolean
  /** Since the last update, something came free that was not counted on by the shadow time: the head might start sooner. */
  #canBeSooner = false
  /** Since then, a job overran its estimate and the reservation's start, or something failed: it may no longer be kept. */
  #canBeInvalid = false
  /** The state with the reservation's resources withheld: made when first needed, kept in step as long as the reservation stands. */
  #state: ClusterState<Index> | undefined
  /** What the policy refused in that state. */
  readonly #refused = new KnownRefusals()
  /** What would delay the head where the policy places it in the state as it is, and is refused beside the reservation. */
  readonly #delaying = new KnownRefusals()
  readonly #shadow: ShadowState<Index>
  /** What is reserved, where a job that would pass was compared with it. */
  readonly #reserved: MarkedPlacement

  /** With `kill` nothing but a failure moves it later. */
  constructor(
    dispatcher: Dispatcher<Index>,
    { monotone, links }: Claims,
    { kill, replans }: Pick<EasyBackfill, 'kill' | 'replans'>,
  ) {
    this.#dispatcher = dispatcher
    this.#isMonotone = monotone
    this.#isCapped = links === 'capped'
    this.#links = links
    this.#isForced = kill === true
    this.#replans = replans === true && !this.#isForced
    this.#shadow = new ShadowState(dispatcher.state)
    this.#reserved = new MarkedPlacement(dispatcher.state.topology)
  }

  /** Whether the head has the reservation, and its time has come. */
  isDue(head: number): boolean {
    return this.current?.job === head && this.current.start <= this.#dispatcher.now
  }

  /** What is reserved for the head, at its time, if all of it is free: it may start there though the policy refuses it. */
  reservedPlacement(head: number): Placement | undefined {
    if (!this.isDue(head)) return undefined
    const { placement } = this.current!
    return this.#dispatcher.state.isFree(placement, placement.bandwidth) ? placement : undefined
  }

  /** Jobs have started from the head. In another order than that of submission new jobs may stand before the one that has the reservation. */
  afterStarts(head: number | undefined, haveStarted: boolean): void {
    if (this.current === undefined) return
    if (this.current.job !== head) {
      this.#withdraw(this.current)
      this.#set(undefined)
    } else if (haveStarted) this.#canBeInvalid = true
  }

  /** Makes the head's reservation, or moves it after something unforeseen: later only when it cannot be kept. */
  update(head: number): void {
    const { current } = this
    if (current === undefined) this.#reserve(head, this.#find(head, Infinity))
    else {
      // Without an early end a monotone policy finds nothing sooner: the jobs started since only take.
      const sooner = this.#canBeSooner || !this.#isMonotone ? this.#find(head, current.start) : undefined
      if (sooner !== undefined || !this.#isKept(current)) {
        this.#withdraw(current)
        this.#reserve(head, sooner ?? this.#find(head, Infinity))
      } else if (this.#replans) this.#replan(current)
    }
    this.#canBeSooner = false
    this.#canBeInvalid = false
  }

  /** Where the policy would place the head now, at the same time. */
  #replan(current: RecordedReservation): void {
    const { queries } = this.#dispatcher
    const placement = queries.placeLater(current.job, this.#shadow.at(current.start), current.start)
    // Before what is reserved is given up, and before it is read.
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
    recorder.unreserve(now, jobs[job].id, seq, cause)
  }

  #set(reservation: RecordedReservation | undefined): void {
    this.current = reservation
    this.#refused.forget()
    this.#delaying.forget()
    this.#dropState()
  }

  /** Where a job can start now that leaves the head what is reserved for it, however long it runs. */
  tryBackfill(job: number): Placement | undefined {
    const { current } = this
    const { queries, state } = this.#dispatcher
    if (current === undefined || queries.isRefused(job, this.#refused) || queries.isRefused(job, queries.refused))
      return undefined
    this.#state ??= stateWithReservation(state, current)
    return queries.place(job, this.#state, 'backfill', this.#refused, [current])
  }

  /** Whether a job that still runs at the shadow time is known to delay the head, for another of its key would have. */
  isKnownToDelay(job: number): boolean {
    return this.#dispatcher.queries.isPlacedInVain(job, this.#delaying)
  }

  addDelaying(job: number): void {
    this.#dispatcher.queries.addPlacedInVain(job, this.#delaying)
  }

  /** Whether a job that still runs at the shadow time leaves too few nodes for the head, wherever the two are. */
  leavesTooFewNodes(job: number): boolean {
    const { current } = this
    const { queries } = this.#dispatcher
    if (current === undefined || queries.areReasonsWantedOf(job)) return false
    return queries.sizeOf(job) + queries.sizeOf(current.job) > this.#shadow.at(current.start).freeNodes
  }

  /**
   * Whether the policy can still place the head at the shadow time, anywhere, with a job running on this placement; the reservation
   * moves to where that is.
   */
  makesWay(job: number, placement: Placement): boolean {
    const { current } = this
    if (current === undefined) return true
    if (this.#leavesReserved(placement, current)) return true
    if (this.#shadow.blocking.includes(placement)) return false
    // What is wrong with it is said at the start.
    if (!this.#dispatcher.state.isFree(placement, placement.bandwidth)) return true
    const elsewhere = this.#placementBeside(job, placement, current)
    if (elsewhere === undefined) {
      if (this.#isMonotone) this.#shadow.blocking.add(placement)
      return false
    }
    if (elsewhere !== current.placement) this.#dispatcher.checkPlacement(current.job, elsewhere)
    if (!areSamePlacement(elsewhere, current.placement)) this.#move(current, elsewhere)
    return true
  }

  /** Whether a job on this placement takes nothing that is reserved; where a rule keeps links apart it may still be in the way. */
  #leavesReserved(placement: Placement, { start, placement: reserved }: RecordedReservation): boolean {
    if (this.#links === 'rule') return false
    if (this.#reserved.placement !== reserved) this.#reserved.set(reserved)
    return this.#reserved.isApartFrom(placement) && this.#shadow.at(start).isFree(reserved, reserved.bandwidth)
  }

  /** Where the head can be placed at its shadow time if a job is running on this placement then. */
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
    // Jobs expected to end before the shadow time were taken for gone when the reservation was made.
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
    // What a capped link has left at the reservation's start depends on which jobs are expected to have ended by then.
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
