import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { RecordedReservation, Reservation } from '../reservation.ts'
import { OVERRUN_GRACE_MS } from '../running-jobs.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Discipline } from './discipline.ts'
import { type ReservationPlan, ReservedWindow, type Slot } from './reservation-plan.ts'

/**
 * Conservative backfilling with fixed placements: each of the first `window` jobs has a reservation from its planned
 * start for as long as its estimate. Reservations are made in queue order, and no job delays the reservation of an
 * earlier job. After an early end, a cancellation or an outage, reservations are tried again in queue order. A
 * reservation moves later only after an overrun or a failure.
 *
 * If estimates depend on placements, a reservation is as long as the job's estimate without regard to a placement. The
 * job starts at its reserved time even if the reserved placement makes its run longer. If the longer run then overlaps
 * reservations of jobs behind the job in the queue, these jobs get new reservations. If the longer run overlaps a
 * reservation of an earlier job in the queue, the job does not start.
 */
export class Conservative<Index> implements Discipline {
  readonly #scheduler: Scheduler<Index>
  readonly #window: ReservedWindow<Index>
  readonly #plan: ReservationPlan

  constructor(scheduler: Scheduler<Index>, window: number) {
    this.#scheduler = scheduler
    this.#window = new ReservedWindow(scheduler, window)
    this.#plan = this.#window.plan
  }

  get wakeTime(): number {
    return this.#window.wakeTime
  }
  get wakeCause(): number {
    return this.#window.wakeCause
  }

  placementNow(job: number): Placement | undefined {
    const slot = this.#plan.get(job)
    if (slot !== undefined && this.#lostOnReserved(job, slot) !== undefined) return slot.placement
    return slot !== undefined && this.#window.keeps(slot) ? undefined : this.#placeNow(job, 0)
  }

  endPass(): void {
    this.#window.canBeSooner = false
  }

  adopt(reservation: RecordedReservation): void {
    this.#plan.add({ ...reservation, end: reservation.start + this.#window.span(reservation.job) })
  }
  drop(job: number): void {
    this.#plan.delete(job)
  }

  pass(): void {
    this.#window.pass(
      (job) => this.#startOrReserve(job),
      (slot) => this.#withdraw(slot),
    )
  }

  onRelease(allocation: Allocation): void {
    this.#window.onRelease(allocation)
  }
  onStart(): void {}
  onOverrun(): void {
    /* The scheduling pass at a reservation's start notices if the reserved nodes and links are not free. */
  }
  onCancel(): void {
    this.#window.canBeSooner = true
  }
  onOutage(): void {
    this.#window.onOutage()
  }

  /** Returns true if the job starts. */
  #startOrReserve(job: number): boolean {
    const slot = this.#plan.get(job)
    if (slot !== undefined) return this.#startOrKeep(job, slot)
    const immediate = this.#placeNow(job, 0)
    if (immediate !== undefined) return this.#start(job, immediate)
    return this.#reserve(job, this.#find(job, Infinity))
  }

  /** Returns true if the job starts; otherwise the job's reservation stays or moves. */
  #startOrKeep(job: number, slot: Slot): boolean {
    const { start, placement } = slot
    const lost = this.#lostOnReserved(job, slot)
    if (lost !== undefined) {
      for (const each of lost) this.#withdraw(each)
      return this.#start(job, placement)
    }
    // A reservation whose start has passed is not kept: a late start would overlap the reservations of other jobs.
    const isKept = this.#window.isKept(slot)
    if (this.#window.keeps(slot)) return false
    const immediate = this.#placeNow(job, 0)
    if (immediate !== undefined) return this.#start(job, immediate)
    const sooner = this.#find(job, isKept ? start : Infinity)
    if (isKept && sooner === undefined) return false
    this.#withdraw(slot)
    return this.#reserve(job, sooner)
  }

  #reserve(job: number, found: Reservation | undefined): boolean {
    if (found === undefined) return false
    const { start, placement } = found
    if (start === this.#scheduler.now && this.#scheduler.canStartOn(placement)) return this.#start(job, placement)
    const seq = this.#scheduler.reserve(job, found)
    this.#plan.add({ ...found, job, seq, end: start + this.#window.span(job) })
    return false
  }

  #start(job: number, placement: Placement): true {
    this.#plan.delete(job)
    this.#scheduler.start(job, placement, this.#window.passedBy(job))
    return true
  }

  #withdraw(slot: Slot): void {
    this.#scheduler.unreserve(slot)
    this.#plan.delete(slot.job)
  }

  /** Returns the earliest expected end before `before` from which a placement is free for the job's whole estimate. */
  #find(job: number, before: number): Reservation | undefined {
    const { now, state, jobs } = this.#scheduler
    let released = 0
    let free = state.freeNodes
    for (const start of this.#ends(job, before)) {
      while (released < state.running.length && state.running[released].estimatedEnd <= start)
        free += state.running[released++].nodes.length
      if (free - this.#plan.nodesOfOthersAt(job, start) < jobs.at(job)!.size && start >= now + OVERRUN_GRACE_MS)
        continue
      const placement =
        start === now
          ? this.#placeNow(job, released)
          : this.#placeAt(job, start, start + this.#window.span(job), released)
      if (placement !== undefined) return { start, placement }
    }
    return undefined
  }

  /** Returns ends of runs and of other jobs' reservations, from now on: jobs of zero length may still end now. */
  #ends(job: number, before: number): ReadonlyArray<number> {
    const { now, state } = this.#scheduler
    const ends = new Set(state.running.map(({ estimatedEnd }) => estimatedEnd))
    for (const end of this.#plan.endsOfOthers(job)) ends.add(end)
    return [...ends].filter((end) => end >= now && end < before).sort((a, b) => a - b)
  }

  /** Returns a placement for a start now without nodes and links of reservations that the job would overlap in time. */
  #placeNow(job: number, released: number): Placement | undefined {
    const { now, requests } = this.#scheduler
    for (let end = now + this.#window.span(job); ;) {
      const placement = this.#placeAt(job, now, end, released)
      if (placement === undefined || !requests.estimatesVary) return placement
      const needed = now + this.#window.spanOn(job, placement)
      if (needed <= end) return placement
      end = needed
    }
  }

  /** @param released number of running jobs that count as ended: the jobs with the earliest expected ends */
  #placeAt(job: number, start: number, end: number, released: number): Placement | undefined {
    const { now, state, questions } = this.#scheduler
    const fork: ClusterState<Index> = state.fork()
    fork.releaseFirst(released)
    const overlapping = this.#plan.overlapping(job, start, end)
    fork.withholdAll(overlapping.map(({ placement }) => placement))
    const placement =
      released === 0 && start === now
        ? questions.place(job, fork, 'start', undefined, overlapping)
        : questions.placeLater(job, fork, start)
    fork.drop()
    return placement
  }

  /**
   * Returns the reservations that the job would overlap on its due reservation, because the placement makes its run
   * longer. Returns undefined if the job cannot start there: the reservation is not due, its nodes and links are not
   * free, or the job would overlap the reservation of a job earlier in the queue.
   */
  #lostOnReserved(job: number, { start, placement, end }: Slot): ReadonlyArray<Slot> | undefined {
    const { now, waiting, requests } = this.#scheduler
    if (start !== now || !this.#scheduler.canStartOn(placement)) return undefined
    const needed = requests.estimatesVary ? now + this.#window.spanOn(job, placement) : end
    if (needed < end) this.#window.canBeSooner = true
    if (needed <= end) return []
    const kept: Array<Placement> = []
    const lost: Array<Slot> = []
    const inOrder = this.#plan.overlapping(job, now, needed).sort((a, b) => (waiting.isBefore(a.job, b.job) ? -1 : 1))
    for (const slot of inOrder) {
      if (this.#isFreeWithout(placement, [...kept, slot.placement])) kept.push(slot.placement)
      else lost.push(slot)
    }
    return lost.some((slot) => waiting.isBefore(slot.job, job)) ? undefined : lost
  }

  #isFreeWithout(placement: Placement, reserved: ReadonlyArray<Placement>): boolean {
    const fork = this.#scheduler.state.fork()
    fork.withholdAll(reserved)
    const free = fork.isFree(placement, placement.bandwidth)
    fork.drop()
    return free
  }
}
