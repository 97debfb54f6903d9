import type { Allocation, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import { ReservationPlan, type Slot } from './reservation-plan.ts'

/** What conservative disciplines have in common: each of the first `window` jobs has a reservation, and its turn in each pass. */
export class ReservedWindow<Index> {
  readonly plan: ReservationPlan = new ReservationPlan()
  /** Since the last pass, something came free that no reservation counted on: any of them might start sooner. */
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
   * @param startOrReserve true when the job starts
   * @param withdraw what becomes of a reservation whose job is pushed out of the window
   */
  pass(startOrReserve: (job: number) => boolean, withdraw: (slot: Slot) => void): void {
    const { waiting } = this.#dispatcher
    for (const slot of this.#outside()) withdraw(slot)
    let job = waiting.head
    for (let seen = 0; seen < this.#length && job !== undefined;) {
      const next = waiting.after(job)
      // A job that starts makes room in the window.
      if (!startOrReserve(job)) seen++
      job = next
    }
    this.canBeSooner = false
  }

  onRelease(allocation: Allocation): void {
    if (allocation.estimatedEnd > this.#dispatcher.now) this.canBeSooner = true
  }

  /** How long a job holds its resources: one of no length still has its instant to itself. */
  span(job: number): number {
    return Math.max(this.#dispatcher.requests.estimate(job), 1)
  }

  spanOn(job: number, placement: Placement): number {
    const { requests, state } = this.#dispatcher
    return Math.max(requests.estimateOn(job, state, placement), 1)
  }

  recordUnreserve({ job, seq }: Slot): void {
    const { now, recorder, jobs, cause } = this.#dispatcher
    recorder.unreserve(now, jobs[job].id, seq, cause)
  }

  /** A job that is going to start before the head passes this reservation of the head. */
  passedBy(job: number): number | undefined {
    const head = this.#dispatcher.waiting.head!
    return job === head ? undefined : this.plan.get(head)?.seq
  }

  /** In another order than that of submission, and by requeued jobs, others are pushed out: those give up their reservations first. */
  #outside(): ReadonlyArray<Slot> {
    const { waiting } = this.#dispatcher
    const outside = new Set(this.plan.jobs())
    let job = waiting.head
    for (let seen = 0; seen < this.#length && job !== undefined && outside.size > 0; seen++, job = waiting.after(job))
      outside.delete(job)
    return Array.from(outside, (each) => this.plan.get(each)!)
  }
}
