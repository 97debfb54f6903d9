import type { Allocation, Claims, Placement } from '@cloister/placement'
import type { Dispatcher } from '../dispatcher.ts'
import type { EasyBackfill } from '../simulation.ts'
import type { Discipline } from './discipline.ts'
import { leastMovingSize } from './least-moving-size.ts'
import { HeadReservation } from './head-reservation.ts'
import { isInTheWay, preemptible } from './preemption.ts'
import { windowBehind } from './window.ts'

/**
 * EASY backfilling (Skovira et al. 1996): only the head has a reservation. Each of the `window` jobs behind the head
 * starts if it ends by the head's shadow time, or if it leaves the head a placement at the shadow time. If the
 * reservation is movable, the head may get any placement at the shadow time. If the reservation is fixed, the head
 * needs the reserved placement.
 */
export class Easy<Index> implements Discipline {
  readonly #dispatcher: Dispatcher<Index>
  readonly #isMonotone: boolean
  readonly #options: EasyBackfill
  readonly #preempts: boolean
  readonly #leastMovingSize: number
  readonly #reservation: HeadReservation<Index>
  /** Running jobs that were backfilled; empty unless the option `kill` is set. */
  readonly #backfilled = new Set<Allocation>()
  /** The head and the jobs of the window, in queue order. */
  readonly #first: Array<number> = []

  constructor(dispatcher: Dispatcher<Index>, claims: Claims, options: EasyBackfill) {
    this.#dispatcher = dispatcher
    this.#isMonotone = claims.monotone
    this.#options = options
    this.#preempts = options.kill === true
    this.#leastMovingSize = leastMovingSize(options)
    this.#reservation = new HeadReservation(dispatcher, claims, options)
  }

  /** Shadow time with the option `kill`; Infinity without, because then only an event can change the decisions. */
  get wakeTime(): number {
    if (!this.#preempts) return Infinity
    const start = this.#reservation.current?.start ?? Infinity
    return start > this.#dispatcher.now ? start : Infinity
  }
  get wakeCause(): number {
    return this.#reservation.current?.seq ?? 0
  }

  pass(): void {
    let head = this.#startFromHead()
    if (this.#preempts && head !== undefined && this.#preemptBackfilled(head)) head = this.#startFromHead()
    if (head === undefined) return
    this.#reservation.update(head)
    this.#backfill(head)
  }

  onStart(allocation: Allocation): void {
    this.#reservation.onStart(allocation)
  }

  onRelease(allocation: Allocation): void {
    this.#backfilled.delete(allocation)
    this.#reservation.onRelease(allocation)
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    if (this.#backfilled.delete(allocation)) this.#backfilled.add(extended)
    this.#reservation.onOverrun(allocation, extended)
  }

  onCancel(): void {
    /* The next pass sees that the cancelled job with the reservation has left the queue. */
  }

  onOutage(change: 'down' | 'up'): void {
    this.#reservation.onOutage(change)
  }

  #startFromHead(): number | undefined {
    const { started } = this.#dispatcher
    const head = this.#dispatcher.startFromHead((job) => this.#reservation.reservedPlacement(job))
    this.#reservation.afterStarts(head, this.#dispatcher.started > started)
    return head
  }

  /**
   * Kills the backfilled jobs that hold reserved nodes or links at the shadow time, latest started first. Kills no job
   * if the reserved placement would still not be free. Returns true if a job was killed.
   */
  #preemptBackfilled(head: number): boolean {
    if (!this.#reservation.isDue(head)) return false
    const { state } = this.#dispatcher
    const { placement, seq } = this.#reservation.current!
    const victims = preemptible(state, placement, (allocation) => this.#hasPassed(head, allocation))
    for (const allocation of victims.sort((a, b) => b.startOrder - a.startOrder)) {
      // If jobs share links, the kills so far may already have freed enough bandwidth.
      if (isInTheWay(state, allocation, placement))
        this.#dispatcher.kill(this.#dispatcher.jobOf(allocation), 'reservation', seq)
    }
    return victims.length > 0
  }

  /** A requeued head must not kill backfilled jobs that come before the head in queue order. */
  #hasPassed(head: number, allocation: Allocation): boolean {
    return (
      this.#backfilled.has(allocation) && this.#dispatcher.waiting.isBefore(head, this.#dispatcher.jobOf(allocation))
    )
  }

  #backfill(head: number): void {
    const { window, windowOrder } = this.#options
    const shadow = this.#reservation.current?.start ?? Infinity
    if (windowOrder !== undefined) {
      for (const job of windowBehind(this.#dispatcher, head, window, windowOrder)) this.#startBehindHead(job, shadow)
      return
    }
    // This loop runs in every scheduling pass. `cannotStart` skips the many jobs that the policy is known to refuse.
    const { waiting, queries } = this.#dispatcher
    const first = this.#first
    waiting.first(window + 1, first)
    for (let at = 1; at < first.length; at++)
      if (!queries.cannotStart(first[at])) this.#startBehindHead(first[at], shadow)
  }

  #startBehindHead(job: number, shadow: number): void {
    const placement = this.#placementBehindHead(job, shadow)
    if (placement !== undefined) this.#start(job, placement)
  }

  /** The placement may have reserved nodes only if the job ends by the shadow time or the reservation can move. */
  #placementBehindHead(job: number, shadow: number): Placement | undefined {
    const { now, requests, queries, state } = this.#dispatcher
    const varies = requests.estimatesVary
    const isLong = !varies && now + queries.estimateOf(job) > shadow
    const mayMove = queries.sizeOf(job) >= this.#leastMovingSize
    if (isLong && !mayMove) return this.#reservation.tryBackfill(job)
    if (isLong && (this.#reservation.leavesTooFewNodes(job) || this.#reservation.isKnownToDelay(job))) return undefined
    const placement = queries.placeNow(job)
    // A monotone policy that refuses the job with all free nodes also refuses the job without the reserved nodes.
    if (placement === undefined) return this.#isMonotone ? undefined : this.#reservation.tryBackfill(job)
    const end = varies ? now + requests.estimateOn(job, state, placement) : now + queries.estimateOf(job)
    if (end <= shadow) return placement
    if (mayMove && this.#reservation.makesWay(job, placement)) return placement
    const beside = this.#reservation.tryBackfill(job)
    if (beside === undefined && isLong) this.#reservation.addDelaying(job)
    return beside
  }

  #start(job: number, placement: Placement): void {
    const allocation = this.#dispatcher.start(job, placement, this.#reservation.current?.seq)
    if (this.#preempts) this.#backfilled.add(allocation)
  }
}
