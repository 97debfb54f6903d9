import type { Allocation, Claims, Placement } from '@cloister/placement'
import type { RecordedReservation } from '../reservation.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Discipline } from './discipline.ts'
import { FreeNodeProfile } from './free-node-profile.ts'
import { type Delayed, type Intruder, MovablePlan, type WayMade } from './movable-plan.ts'
import { PlannedStates } from './planned-states.ts'
import { type ReservationPlan, ReservedWindow, type Slot } from './reservation-plan.ts'

const NOTHING_MOVES: WayMade = { moves: [], lost: [] }

/** Start and placement of a job, with the moves of other jobs' reservations that the placement needs. */
interface Found {
  readonly start: number
  readonly placement: Placement
  readonly way: WayMade
}

/**
 * Conservative backfilling as in textbooks: each of the first `window` jobs has a reservation, made in queue order, at
 * the first time at which no other reservation is delayed. A job may take reserved nodes and links if the reservation
 * can move to different ones at the same time. After an early end, reservations are tried again in queue order.
 *
 * Counts of free nodes over time decide when a question to the policy is worthwhile. If all free nodes are equivalent,
 * the counts alone decide.
 */
export class MovableConservative<Index> implements Discipline {
  readonly #scheduler: Scheduler<Index>
  readonly #window: ReservedWindow<Index>
  readonly #plan: ReservationPlan
  readonly #movable: MovablePlan<Index>
  readonly #states: PlannedStates<Index>
  readonly #isMonotone: boolean
  #profile: FreeNodeProfile | undefined

  constructor(scheduler: Scheduler<Index>, claims: Claims, window: number) {
    this.#scheduler = scheduler
    this.#window = new ReservedWindow(scheduler, window)
    this.#plan = this.#window.plan
    this.#states = new PlannedStates(scheduler, this.#plan)
    this.#movable = new MovablePlan(scheduler, this.#plan, this.#states, claims)
    this.#isMonotone = claims.monotone
  }

  get wakeTime(): number {
    return this.#window.wakeTime
  }
  get wakeCause(): number {
    return this.#window.wakeCause
  }

  placementNow(job: number): Placement | undefined {
    const slot = this.#plan.get(job)
    const { now } = this.#scheduler
    if (slot === undefined) return this.#fit(job, undefined, now, false)?.placement
    if (this.#window.keeps(slot)) return undefined
    const isKept = this.#window.isKept(slot)
    const ask = (): Found | undefined =>
      this.#onReserved(job, slot) ?? this.#fit(job, isKept ? slot : undefined, now, false)
    if (isKept) return this.#without(slot, ask)?.placement
    // The planned states at the time of the job's own reservation still include that reservation.
    this.#states.onFreed(slot.start, slot.end)
    const found = this.#without(slot, ask)
    this.#states.onTaken(slot.start, slot.end)
    return found?.placement
  }

  endPass(): void {
    this.#window.canBeSooner = false
  }

  adopt(reservation: RecordedReservation): void {
    this.#add({ ...reservation, end: reservation.start + this.#window.span(reservation.job) })
  }
  drop(job: number): void {
    const slot = this.#plan.get(job)
    if (slot !== undefined) this.#remove(slot)
  }

  pass(): void {
    this.#profile = undefined
    this.#states.onPass(this.#scheduler.now)
    this.#window.pass(
      (job) => this.#startOrReserve(job),
      (slot) => this.#withdraw(slot),
    )
  }

  onRelease(allocation: Allocation): void {
    this.#window.onRelease(allocation)
    this.#states.onRelease(allocation, this.#scheduler.now)
  }
  onStart(allocation: Allocation): void {
    const { now } = this.#scheduler
    this.#profile?.hold(allocation.nodes.length, now, Math.max(allocation.estimatedEnd, now))
    this.#states.onStart(allocation, now)
  }
  /** Updates the planned states. The pass at a reservation's start time notices if the reservation cannot be kept. */
  onOverrun(allocation: Allocation, extended: Allocation): void {
    this.#states.onOverrun(allocation, extended)
  }
  onCancel(): void {
    this.#window.canBeSooner = true
  }
  onOutage(): void {
    this.#window.onOutage()
    this.#states.forgetAll()
  }

  /** Returns true if the job starts. */
  #startOrReserve(job: number): boolean {
    const slot = this.#plan.get(job)
    if (slot !== undefined) return this.#startOrKeep(job, slot)
    const found = this.#find(job, undefined, Infinity)
    return found !== undefined && this.#use(job, found)
  }

  #startOrKeep(job: number, slot: Slot): boolean {
    const isKept = this.#window.isKept(slot)
    if (isKept && !(this.#window.canBeSooner && this.#mayBeSooner(job, slot))) return false
    const found = this.#without(slot, () => this.#onReserved(job, slot) ?? this.#findAnew(job, slot, isKept))
    if (isKept && found === undefined) return false
    // If the job starts and no other reservation moves, no unreserve record is needed. Otherwise, moved reservations
    // may need the nodes of the job's own reservation.
    if (found === undefined || !this.#startsNow(found) || found.way !== NOTHING_MOVES) this.#withdraw(slot)
    else if (this.#holdsAsReserved(slot, found)) this.#letGo(slot)
    else this.#remove(slot)
    return found !== undefined && this.#use(job, found)
  }

  #startsNow({ start, placement }: Found): boolean {
    return start === this.#scheduler.now && this.#scheduler.canStartOn(placement)
  }

  /** Returns true if the job starts exactly as its reservation planned, so that all planned states stay valid. */
  #holdsAsReserved(slot: Slot, { placement }: Found): boolean {
    const { now, requests } = this.#scheduler
    return placement === slot.placement && !requests.estimatesVary && now + requests.estimateOf(slot.job) === slot.end
  }

  /** Returns false if counts of free nodes rule out an earlier start of the job. */
  #mayBeSooner(job: number, slot: Slot): boolean {
    const { now, jobs, questions } = this.#scheduler
    if (questions.areReasonsWantedOf(job)) return true
    const profile = this.#free()
    profile.release(slot.placement.nodes.length, slot.start, slot.end)
    const first = profile.firstFit(jobs.at(job)!.size, this.#window.span(job), now)
    profile.hold(slot.placement.nodes.length, slot.start, slot.end)
    return first < slot.start
  }

  /** Returns the reserved placement if due and free. A longer run on this placement may delay later jobs only. */
  #onReserved(job: number, slot: Slot): Found | undefined {
    const { start, placement, end } = slot
    const { now, requests, waiting } = this.#scheduler
    if (start !== now || !this.#scheduler.canStartOn(placement)) return undefined
    const needed = requests.estimatesVary ? now + this.#window.spanOn(job, placement) : end
    if (needed < end) this.#window.canBeSooner = true
    if (needed <= end) return { start, placement, way: NOTHING_MOVES }
    const way = this.#makeWay({ job, placement, start, end: needed, own: slot }, (other) =>
      waiting.isBefore(job, other.job),
    )
    return 'delayed' in way ? undefined : { start, placement, way }
  }

  /** Starts the job, or reserves the placement for a later start. The job's earlier reservation is already removed. */
  #use(job: number, found: Found): boolean {
    const { start, placement, way } = found
    for (const slot of way.lost) this.#withdraw(slot)
    for (const { slot } of way.moves) this.#withdraw(slot)
    for (const { slot, placement: elsewhere } of way.moves) this.#reserve(slot.job, slot.start, elsewhere)
    if (!this.#startsNow(found)) return this.#reserve(job, start, placement)
    this.#scheduler.start(job, placement, this.#window.passedBy(job))
    return true
  }

  #reserve(job: number, start: number, placement: Placement): false {
    const seq = this.#scheduler.reserve(job, { start, placement })
    this.#add({ start, placement, job, seq, end: start + this.#window.span(job) })
    return false
  }

  #withdraw(slot: Slot): void {
    this.#scheduler.unreserve(slot)
    this.#remove(slot)
  }

  #findAnew(job: number, slot: Slot, isKept: boolean): Found | undefined {
    if (isKept) return this.#find(job, slot, slot.start)
    // The planned states at the time of the job's own reservation still include that reservation.
    this.#states.onFreed(slot.start, slot.end)
    return this.#find(job, undefined, Infinity)
  }

  #add(slot: Slot): void {
    this.#states.onReserved(slot)
    this.#hold(slot)
  }

  #remove(slot: Slot): void {
    this.#states.onFreed(slot.start, slot.end)
    this.#letGo(slot)
  }

  #hold(slot: Slot): void {
    this.#plan.add(slot)
    this.#profile?.hold(slot.placement.nodes.length, slot.start, slot.end)
  }

  #letGo(slot: Slot): void {
    this.#plan.delete(slot.job)
    this.#profile?.release(slot.placement.nodes.length, slot.start, slot.end)
  }

  #without<Answer>(slot: Slot, ask: () => Answer): Answer {
    this.#letGo(slot)
    const answer = ask()
    this.#hold(slot)
    return answer
  }

  #free(): FreeNodeProfile {
    if (this.#profile !== undefined) return this.#profile
    const { now, state } = this.#scheduler
    const profile = new FreeNodeProfile(now, state)
    for (const { placement, start, end } of this.#plan.all()) profile.hold(placement.nodes.length, start, end)
    this.#profile = profile
    return profile
  }

  /**
   * Finds the earliest time before `before`, now or an expected end, from which the job delays no reservation.
   *
   * @param own reservation of the job, which `#plan` omits but the planned states still include
   */
  #find(job: number, own: Slot | undefined, before: number): Found | undefined {
    const { now, jobs, questions } = this.#scheduler
    const { size } = jobs.at(job)!
    const span = this.#window.span(job)
    const profile = this.#free()
    let time = profile.firstFit(size, span, now)
    if (time === now || questions.areReasonsWantedOf(job)) {
      const found = this.#fit(job, own, now, false)
      // A question that is asked only to report a reason must not change the result.
      if (found !== undefined && time === now) return found
    }
    for (; time < before; time = profile.firstFit(size, span, profile.after(time))) {
      const found = profile.isEnd(time) ? this.#fit(job, own, time, true) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Finds a placement beside all overlapping reservations, or one for which those with a later start can move. */
  #fit(job: number, own: Slot | undefined, start: number, isLater: boolean): Found | undefined {
    const { now, requests, questions } = this.#scheduler
    if (this.#movable.isRefused(job, start)) return undefined
    // A run that starts now lasts for the estimate on the placement. A reservation lasts for the estimate of the job
    // alone.
    const endOn = (placement: Placement): number =>
      start + (start === now && requests.estimatesVary ? this.#window.spanOn(job, placement) : this.#window.span(job))
    let end = start + this.#window.span(job)
    const run = { start, end, isLater }
    // The known delays include the job's own reservation, and are valid only for runs that end before its start.
    if (!requests.estimatesVary && this.#states.isKnownToDelay(job, run, own?.start ?? Infinity)) return undefined
    let overlapping = this.#plan.overlapping(job, start, end)
    const underway = overlapping.filter((slot) => slot.start <= start)
    let aside: Placement | undefined
    // A monotone policy that refuses the job beside some reservations also refuses the job beside more reservations.
    if (this.#isMonotone && underway.length < overlapping.length && !questions.areReasonsWantedOf(job)) {
      aside = this.#movable.placementAt(job, run, underway, own)
      if (aside === undefined) return undefined
    }
    for (;;) {
      const placement = this.#movable.placementAt(job, { ...run, end }, overlapping, own)
      if (placement === undefined) break
      const needed = endOn(placement)
      if (needed <= end) return { start, placement, way: NOTHING_MOVES }
      end = needed
      overlapping = this.#plan.overlapping(job, start, end)
    }
    if (underway.length === overlapping.length) return undefined
    const placement = aside ?? this.#movable.placementAt(job, run, underway, own)
    if (placement === undefined) return undefined
    const way = this.#makeWay({ job, placement, start, end: endOn(placement), own }, () => false)
    if (!('delayed' in way)) return { start, placement, way }
    const isOwnLater = own === undefined || own.start >= end
    if (!requests.estimatesVary && isOwnLater && way.delayed.start < end) this.#states.addDelaying(job, run)
    return undefined
  }

  #makeWay(intruder: Intruder, mayLose: (slot: Slot) => boolean): WayMade | Delayed {
    return this.#scheduler.keeping(intruder.job, intruder.placement, () => this.#movable.makeWay(intruder, mayLose))
  }
}
