import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { RecordedReservation } from '../reservation.ts'
import type { Scheduler } from '../scheduler.ts'

/** A recorded reservation that holds from `start` up to, not including, `end`. Times are integer milliseconds. */
export interface Slot extends RecordedReservation {
  readonly end: number
}

/** Reservations of waiting jobs, at most one for each job. */
export class ReservationPlan {
  readonly #slots = new Map<number, Slot>()
  /** Reservations without a failed node or link, as far as known since the last outage. */
  #up = new WeakSet<Slot>()

  get(job: number): Slot | undefined {
    return this.#slots.get(job)
  }
  add(slot: Slot): void {
    this.#slots.set(slot.job, slot)
  }
  delete(job: number): void {
    this.#slots.delete(job)
  }
  all(): Iterable<Slot> {
    return this.#slots.values()
  }
  /** Returns true if no node or link of the reservation is down. Every outage needs a call of `onOutage`. */
  isUp(slot: Slot, state: Pick<ClusterState, 'isUp'>): boolean {
    if (this.#up.has(slot)) return true
    const isUp = state.isUp(slot.placement)
    if (isUp) this.#up.add(slot)
    return isUp
  }
  onOutage(): void {
    this.#up = new WeakSet()
  }

  jobs(): ReadonlySet<number> {
    return new Set(this.#slots.keys())
  }

  next(now: number): Slot | undefined {
    let first: Slot | undefined
    for (const slot of this.#slots.values()) {
      if (slot.start > now && (first === undefined || slot.start < first.start)) first = slot
    }
    return first
  }

  nodesOfOthersAt(job: number, time: number): number {
    let nodes = 0
    for (const slot of this.#slots.values()) {
      if (slot.job !== job && slot.start <= time && time < slot.end) nodes += slot.placement.nodes.length
    }
    return nodes
  }

  /** Returns the reservations of jobs other than `job` that start after `time`, by start, then by seq. */
  startingAfter(job: number, time: number): Array<Slot> {
    return [...this.#slots.values()]
      .filter((slot) => slot.job !== job && slot.start > time)
      .sort((a, b) => a.start - b.start || a.seq - b.seq)
  }

  endsOfOthers(job: number): ReadonlyArray<number> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job).map(({ end }) => end)
  }

  overlapping(job: number | undefined, start: number, end: number): Array<Slot> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job && slot.start < end && slot.end > start)
  }
}

/** Common part of the two conservative disciplines: the first `window` jobs of the queue, and their reservations. */
export class ReservedWindow<Index> {
  readonly plan: ReservationPlan = new ReservationPlan()
  /** True if, since the last pass, an early end, a cancellation or an outage may let reservations move earlier. */
  canBeSooner = false
  readonly #scheduler: Scheduler<Index>
  readonly #length: number

  constructor(scheduler: Scheduler<Index>, length: number) {
    this.#scheduler = scheduler
    this.#length = length
  }

  get wakeTime(): number {
    return this.plan.next(this.#scheduler.now)?.start ?? Infinity
  }
  get wakeCause(): number {
    return this.plan.next(this.#scheduler.now)?.seq ?? 0
  }

  /**
   * @param startOrReserve starts or reserves a job; returns true if the job starts
   * @param withdraw withdraws the reservation of a job that is pushed out of the window
   */
  pass(startOrReserve: (job: number) => boolean, withdraw: (slot: Slot) => void): void {
    const { waiting } = this.#scheduler
    for (const slot of this.#outside()) withdraw(slot)
    let job = waiting.head
    for (let seen = 0; seen < this.#length && job !== undefined;) {
      const next = waiting.after(job)
      // A job leaves the window at its start, and one more job can be tried.
      if (!startOrReserve(job)) seen++
      job = next
    }
    this.canBeSooner = false
  }

  onRelease(allocation: Allocation): void {
    if (allocation.estimatedEnd > this.#scheduler.now) this.canBeSooner = true
  }

  onOutage(): void {
    this.canBeSooner = true
    this.plan.onOutage()
  }

  span(job: number): number {
    return Math.max(this.#scheduler.requests.estimateOf(job), 1)
  }

  spanOn(job: number, placement: Placement): number {
    const { requests, state } = this.#scheduler
    return Math.max(requests.estimateOn(job, state, placement), 1)
  }

  /** Returns true if the next pass keeps a reservation without a question to the policy. */
  keeps(slot: Slot): boolean {
    return !this.canBeSooner && this.isKept(slot)
  }

  /** Returns true if the reservation stays unless the job can start earlier. */
  isKept(slot: Slot): boolean {
    return slot.start > this.#scheduler.now && this.plan.isUp(slot, this.#scheduler.state)
  }

  /** Returns the seq of the head's reserve record if the job would start before the head. */
  passedBy(job: number): number | undefined {
    const head = this.#scheduler.waiting.head!
    return job === head ? undefined : this.plan.get(head)?.seq
  }

  /** Returns the reservations of jobs that a new or requeued job has pushed out of the window. */
  #outside(): ReadonlyArray<Slot> {
    const { waiting } = this.#scheduler
    const outside = new Set(this.plan.jobs())
    let job = waiting.head
    for (let seen = 0; seen < this.#length && job !== undefined && outside.size > 0; seen++, job = waiting.after(job))
      outside.delete(job)
    return Array.from(outside, (each) => this.plan.get(each)!)
  }
}
