import type { Allocation, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { ReservationPlan, type Slot } from './reservation-plan.ts'

/** Common part of the two conservative disciplines: the first `window` jobs of the queue, and their reservations. */
export class ReservedWindow<Index> {
  readonly plan: ReservationPlan = new ReservationPlan()
  /** True if, since the last pass, an early end, a cancellation or an outage may let reservations move earlier. */
  canBeSooner = false
  readonly #dispatcher: Dispatcher<Index>
  readonly #length: number

  constructor(dispatcher: Dispatcher<Index>, length: number) {
    this.#dispatcher = dispatcher
    this.#length = length
  }

  get wakeTime(): number {
    return this.plan.next(this.#dispatcher.now)?.start ?? Infinity
  }
  get wakeCause(): number {
    return this.plan.next(this.#dispatcher.now)?.seq ?? 0
  }

  /**
   * @param startOrReserve starts or reserves a job; returns true if the job starts
   * @param withdraw withdraws the reservation of a job that is pushed out of the window
   */
  pass(startOrReserve: (job: number) => boolean, withdraw: (slot: Slot) => void): void {
    const { waiting } = this.#dispatcher
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
    if (allocation.estimatedEnd > this.#dispatcher.now) this.canBeSooner = true
  }

  span(job: number): number {
    return Math.max(this.#dispatcher.requests.estimate(job), 1)
  }

  spanOn(job: number, placement: Placement): number {
    const { requests, state } = this.#dispatcher
    return Math.max(requests.estimateOn(job, state, placement), 1)
  }

  recordUnreserve({ job, seq }: Slot): void {
    const { now, recorder, jobs, cause } = this.#dispatcher
    recorder.record({ type: 'unreserve', t: now, job: jobs[job].id, for: seq, cause })
  }

  /** Returns the seq of the head's reserve record if the job would start before the head. */
  passedBy(job: number): number | undefined {
    const head = this.#dispatcher.waiting.head!
    return job === head ? undefined : this.plan.get(head)?.seq
  }

  /** Returns the reservations of jobs that a new or requeued job has pushed out of the window. */
  #outside(): ReadonlyArray<Slot> {
    const { waiting } = this.#dispatcher
    const outside = new Set(this.plan.jobs())
    let job = waiting.head
    for (let seen = 0; seen < this.#length && job !== undefined && outside.size > 0; seen++, job = waiting.after(job))
      outside.delete(job)
    return Array.from(outside, (each) => this.plan.get(each)!)
  }
}
