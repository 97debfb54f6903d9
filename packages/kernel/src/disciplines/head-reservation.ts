import type { Allocation, Claims, ClusterState, MaskedResources, Placement } from '@cloister/placement'
import { KnownRefusals } from '../questions.ts'
import {
  areSamePlacement,
  findReservation,
  type FoundReservation,
  placementBeside,
  type RecordedReservation,
  type Reservation,
  stateWithReservation,
} from '../reservation.ts'
import type { Scheduler } from '../scheduler.ts'
import type { EasyBackfill } from '../scheduling-rules.ts'
import { BlockingPlacements, MarkedPlacement } from './marked-placements.ts'

/** Change of the head's reservation that lets a job start. */
export interface Way {
  /** New placement for the head; undefined if the reservation stays. */
  readonly moved: Placement | undefined
}

const NOTHING_MOVES: Way = { moved: undefined }

/** Reservation of the head of the queue under EASY. */
export class HeadReservation<Index> {
  /** Undefined if the queue is empty, or if the policy refuses the head even after the ends of all running jobs. */
  current: RecordedReservation | undefined
  readonly #scheduler: Scheduler<Index>
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
  /** Most nodes of a job that need not delay the head; undefined until its first use. */
  #mostBeside: number | undefined
  readonly #shadow: ShadowState<Index>
  readonly #reserved = new MarkedPlacement()

  /** @param options with `kill`, the reservation moves later only after a failure */
  constructor(
    scheduler: Scheduler<Index>,
    { monotone, links }: Claims,
    { kill, replan }: Pick<EasyBackfill, 'kill' | 'replan'>,
  ) {
    this.#scheduler = scheduler
    this.#isMonotone = monotone
    this.#isCapped = links === 'capped'
    this.#links = links
    this.#isForced = kill === true
    this.#isReplanned = replan === true && !this.#isForced
    this.#shadow = new ShadowState(scheduler.state)
  }

  isDue(head: number): boolean {
    return this.current?.job === head && this.current.start <= this.#scheduler.now
  }

  /** Returns the reserved placement if due and free: the head may start on it although the policy refuses the head. */
  reservedPlacement(head: number): Placement | undefined {
    if (!this.isDue(head)) return undefined
    const { placement } = this.current!
    return this.#scheduler.canStartOn(placement) ? placement : undefined
  }

  /** Withdraws the reservation if the head has changed, for example by a new job that comes first in queue order. */
  afterStarts(head: number | undefined, haveStarted: boolean): void {
    if (this.current === undefined) return
    if (this.current.job !== head) {
      this.#scheduler.unreserve(this.current)
      this.set(undefined)
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
        this.#scheduler.unreserve(current)
        this.#reserve(head, sooner ?? this.#find(head, Infinity))
      } else if (this.#isReplanned) this.#replan(current)
    }
    this.#canBeSooner = false
    this.#canBeInvalid = false
  }

  /** Replaces the reserved placement by the policy's current answer for the head at the same shadow time. */
  #replan(current: RecordedReservation): void {
    const { questions } = this.#scheduler
    const placement = questions.placeLater(current.job, this.#shadow.at(current.start), current.start)
    // A placement with a nonexistent node or link must end the run before the old reservation is withdrawn.
    if (placement !== undefined) this.#scheduler.checkPlacement(current.job, placement)
    if (placement !== undefined && !areSamePlacement(placement, current.placement)) this.move(placement)
  }

  #isKept({ start, placement }: Reservation): boolean {
    const { now, state } = this.#scheduler
    if (this.#isForced) return state.isUp(placement)
    if (start <= now || !this.#canBeInvalid) return start > now
    return this.#shadow.at(start).isFree(placement, placement.bandwidth)
  }

  #find(head: number, before: number): FoundReservation<Index> | undefined {
    const { state, jobs, questions } = this.#scheduler
    return findReservation(state, jobs.at(head)!.size, this.#isMonotone, before, (later, time) =>
      questions.placeLater(head, later, time),
    )
  }

  #reserve(head: number, found: FoundReservation<Index> | undefined): void {
    if (found === undefined) return this.set(undefined)
    const { start, placement, expected } = found
    this.set({ start, placement, job: head, seq: this.#scheduler.reserve(head, found) })
    this.#shadow.set(start, expected)
  }

  set(reservation: RecordedReservation | undefined): void {
    // A placement that blocks the earlier head may leave a placement for the new head.
    if (reservation?.job !== this.current?.job) this.#shadow.blocking.forget()
    this.current = reservation
    this.#refused.forget()
    this.#forgetDelaying()
    this.#dropState()
  }

  tryBackfill(job: number): Placement | undefined {
    const { current } = this
    const { questions, state } = this.#scheduler
    if (current === undefined || questions.isRefused(job, this.#refused) || questions.isRefused(job, questions.refused))
      return undefined
    this.#state ??= stateWithReservation(state, current)
    return questions.place(job, this.#state, 'backfill', this.#refused, [current])
  }

  /** Returns true if an earlier job with the same request key would have delayed the head. */
  isKnownToDelay(job: number): boolean {
    return this.#scheduler.questions.isPlacedInVain(job, this.#delaying)
  }

  addDelaying(job: number): void {
    this.#scheduler.questions.addPlacedInVain(job, this.#delaying)
  }

  /**
   * Returns true if a job that runs past the shadow time delays the head on every placement: by the number of free
   * nodes, or by the policy's bound.
   */
  excludes(job: number): boolean {
    const { current } = this
    const { questions, requests } = this.#scheduler
    if (current === undefined || questions.areReasonsWantedOf(job)) return false
    this.#mostBeside ??= questions.mostNodesBeside(this.#shadow.at(current.start), current.job)
    return requests.sizeOf(job) > this.#mostBeside
  }

  #forgetDelaying(): void {
    this.#delaying.forget()
    this.#mostBeside = undefined
  }

  /** Returns how the head keeps a placement at the shadow time beside a job on `placement`; undefined if not at all. */
  wayFor(job: number, placement: Placement): Way | undefined {
    const { current } = this
    const masks = this.#scheduler.state.masksOf(placement)
    // If the placement does not exist, or is not free, the start of the job reports the policy's fault.
    if (current === undefined || masks === undefined || this.#leavesReserved(masks, current)) return NOTHING_MOVES
    if (this.#shadow.blocking.includes(placement, masks)) return undefined
    if (!this.#scheduler.canStartOn(placement)) return NOTHING_MOVES
    const elsewhere = this.#placementBeside(job, placement, current)
    if (elsewhere === undefined) {
      if (this.#isMonotone) this.#shadow.blocking.add(placement, masks)
      return undefined
    }
    if (elsewhere !== current.placement) this.#scheduler.checkPlacement(current.job, elsewhere)
    return areSamePlacement(elsewhere, current.placement) ? NOTHING_MOVES : { moved: elsewhere }
  }

  /**
   * Returns how the head keeps a placement at the shadow time if the state becomes `state`; undefined if not at all.
   *
   * @param mayMove true if the reservation may move to other nodes and links
   */
  wayIn(state: ClusterState<Index>, mayMove: boolean): Way | undefined {
    const { current } = this
    if (current === undefined) return NOTHING_MOVES
    const { job, start, placement } = current
    const later = state.fork()
    later.releaseUntil(start)
    const isKept = later.isFree(placement, placement.bandwidth)
    const moved = isKept || !mayMove ? undefined : this.#scheduler.questions.placeLater(job, later, start)
    later.drop()
    return isKept ? NOTHING_MOVES : moved && { moved }
  }

  /** Always false under `links: rule`: a job may then disturb the head on any links, not only on reserved ones. */
  #leavesReserved(masks: MaskedResources, { start, placement: reserved }: RecordedReservation): boolean {
    if (this.#links === 'rule') return false
    const later = this.#shadow.at(start)
    if (this.#reserved.placement !== reserved) this.#reserved.set(reserved, later.masksOf(reserved)!)
    return this.#reserved.isApartFrom(masks) && later.isFree(reserved, reserved.bandwidth)
  }

  #placementBeside(job: number, placement: Placement, current: RecordedReservation): Placement | undefined {
    const { questions } = this.#scheduler
    return placementBeside(
      this.#shadow.at(current.start),
      current,
      this.#scheduler.expectedAllocation(job, placement),
      this.#links,
      (later) => this.#scheduler.keeping(job, placement, () => questions.placeLater(current.job, later, current.start)),
    )
  }

  /** Moves the reservation to other nodes or links at the same time. */
  move(placement: Placement): void {
    const { job, seq, start } = this.current!
    this.#scheduler.unreserve({ job, seq })
    this.set({ start, placement, job, seq: this.#scheduler.reserve(job, { start, placement }) })
  }

  onStart(allocation: Allocation): void {
    this.#forgetDelaying()
    this.#shadow.onStart(allocation)
    if (this.current?.job === this.#scheduler.jobOf(allocation)) this.set(undefined)
    else if (this.#isCapped) this.#dropState()
    else this.#state?.occupy(allocation)
  }

  onRelease(allocation: Allocation): void {
    // The shadow time already assumes the ends of all jobs that are expected to end by then.
    const start = this.current?.start ?? Infinity
    if (allocation.estimatedEnd > this.#scheduler.now && allocation.estimatedEnd >= start) this.#canBeSooner = true
    this.#refused.forget()
    this.#forgetDelaying()
    this.#shadow.onRelease(allocation)
    if (this.#isCapped) this.#dropState()
    else this.#state?.release(allocation)
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    this.#forgetDelaying()
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
    this.#forgetDelaying()
    this.#shadow.drop()
    this.#dropState()
  }

  #dropState(): void {
    this.#state?.drop()
    this.#state = undefined
  }
}

/** State expected at the shadow time, without the jobs that end by then. Starts and ends of jobs update this state. */
export class ShadowState<Index> {
  readonly #state: ClusterState<Index>
  #expected: ClusterState<Index> | undefined
  #time = Infinity
  readonly blocking: BlockingPlacements = new BlockingPlacements(new MarkedPlacement())

  constructor(state: ClusterState<Index>) {
    this.#state = state
  }

  /** Returns the state expected at a time. A caller that changes the state must restore it. */
  at(time: number): ClusterState<Index> {
    if (this.#expected !== undefined && this.#time === time) return this.#expected
    const expected = this.#state.fork()
    expected.releaseUntil(time)
    this.set(time, expected)
    return expected
  }

  /** Takes over a fork, the state expected at a time. */
  set(time: number, expected: ClusterState<Index>): void {
    this.drop()
    this.#time = time
    this.#expected = expected
  }

  drop(): void {
    this.#expected?.drop()
    this.blocking.forget()
    this.#expected = undefined
  }

  onStart(allocation: Allocation): void {
    if (allocation.estimatedEnd > this.#time) this.#expected?.apply(allocation)
    else this.#expected?.willHaveEnded(allocation)
  }

  onRelease(allocation: Allocation): void {
    if (allocation.estimatedEnd <= this.#time) return this.#expected?.hasEnded(allocation)
    this.#expected?.release(allocation)
    this.blocking.forget()
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    if (allocation.estimatedEnd > this.#time) this.#expected?.replace(allocation, extended)
    else if (extended.estimatedEnd > this.#time) this.drop()
    else {
      this.#expected?.hasEnded(allocation)
      this.#expected?.willHaveEnded(extended)
    }
  }
}
