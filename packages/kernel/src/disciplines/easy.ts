import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { Discipline } from './discipline.ts'
import type { Dispatcher } from './dispatcher.ts'
import { Refusals } from './refusals.ts'
import { besideOf, canKeep, findReservation, type RecordedReservation, type Reservation } from './reservation.ts'

/**
 * EASY backfilling (Skovira et al. 1996): a reservation for the head alone; each of the `window` jobs behind it starts
 * if it ends by the head's shadow time, or fits beside what the head is promised.
 */
export class Easy<Index> implements Discipline {
  readonly #dispatcher: Dispatcher<Index>
  readonly #window: number
  readonly #kills: boolean
  #reservation: RecordedReservation | undefined
  /** Since the reservation was looked at, something was freed that was not counted on by the shadow time: the head might start sooner. */
  #mayBeSooner = false
  /** Since then, a job overran its estimate and the reservation's start, or something broke: the promise may not hold. */
  #mayBeBroken = false
  /** The state without the reservation's parts: made when first needed, kept in step as long as the reservation stands. */
  #beside: ClusterState<Index> | undefined
  readonly #refusedBeside = new Refusals()
  /** Running jobs that were started before their turn; kept by who kills. */
  readonly #backfilled = new Set<Allocation>()

  constructor(dispatcher: Dispatcher<Index>, window: number, kills: boolean) {
    this.#dispatcher = dispatcher
    this.#window = window
    this.#kills = kills
  }

  /** Whoever kills needs a pass at the time of the reservation; otherwise nothing can happen then that is not an event. */
  get wakeTime(): number {
    const start = this.#reservation?.start ?? Infinity
    return this.#kills && start > this.#dispatcher.now ? start : Infinity
  }
  get wakeCause(): number {
    return this.#reservation?.seq ?? 0
  }

  pass(): void {
    let head = this.#startFromHead()
    if (this.#kills && head !== undefined && this.#clearTheWay(head)) head = this.#startFromHead()
    if (head === undefined) return
    this.#promise(head)
    this.#backfill(head)
  }

  started(allocation: Allocation): void {
    const reservation = this.#reservation
    if (reservation?.job === this.#dispatcher.jobOf(allocation)) this.#setReservation(undefined)
    else if (this.#isCapped) this.#dropBeside()
    else this.#beside?.occupy(allocation)
  }

  released(allocation: Allocation): void {
    this.#backfilled.delete(allocation)
    // Jobs expected to end before the shadow time were taken for gone when the reservation was made.
    const { start } = this.#reservation ?? { start: Infinity }
    if (allocation.estimatedEnd > this.#dispatcher.now && allocation.estimatedEnd >= start) this.#mayBeSooner = true
    this.#refusedBeside.forget()
    if (this.#isCapped) this.#dropBeside()
    else this.#beside?.release(allocation)
  }

  overran(allocation: Allocation, changed: Allocation): void {
    if (this.#backfilled.delete(allocation)) this.#backfilled.add(changed)
    // What a capped link has left at the reservation's start depends on who is expected to have ended by then.
    if (this.#isCapped) this.#dropBeside()
    else this.#beside?.replace(allocation, changed)
    if (this.#reservation !== undefined && changed.estimatedEnd > this.#reservation.start) this.#mayBeBroken = true
  }

  cancelled(): void {
    /* The next pass sees that the one with the reservation is gone. */
  }

  changed(change: 'down' | 'up'): void {
    if (change === 'down') this.#mayBeBroken = true
    else this.#mayBeSooner = true
    this.#refusedBeside.forget()
    this.#dropBeside()
  }

  #startFromHead(): number | undefined {
    const { recorder, jobs, now, cause, started } = this.#dispatcher
    const head = this.#dispatcher.startFromHead((job) => this.#keptPromise(job))
    const reservation = this.#reservation
    if (reservation === undefined) return head
    // In another order than that of submission new jobs may stand before the one that has the reservation.
    if (reservation.job !== head) {
      recorder.unreserve(now, jobs[reservation.job].id, reservation.seq, cause)
      this.#setReservation(undefined)
    } else if (this.#dispatcher.started > started) this.#mayBeBroken = true
    return head
  }

  /** The reserved allocation at its time, where the policy itself refuses but all of it is free. */
  #keptPromise(head: number): Placement | undefined {
    const { now, state } = this.#dispatcher
    const reservation = this.#reservation
    if (reservation?.job !== head || reservation.start > now) return undefined
    const { placement } = reservation
    return state.isFree(placement, placement.bandwidth) ? placement : undefined
  }

  /** At the time of the reservation: kills the backfilled jobs that hold part of it, latest started first, if that is enough. */
  #clearTheWay(head: number): boolean {
    const { now, state } = this.#dispatcher
    const reservation = this.#reservation
    if (reservation?.job !== head || reservation.start > now) return false
    const { placement, seq } = reservation
    const inTheWay = state.running.filter(
      (allocation) => this.#hasPassed(head, allocation) && isInTheWay(state, allocation, placement),
    )
    const fork = state.fork()
    for (const allocation of inTheWay) fork.release(allocation)
    const enough = inTheWay.length > 0 && fork.isFree(placement, placement.bandwidth)
    fork.drop()
    if (!enough) return false
    for (const allocation of inTheWay.sort((a, b) => b.startOrder - a.startOrder)) {
      // Where links are shared, those killed before may have made room enough.
      if (isInTheWay(state, allocation, placement))
        this.#dispatcher.kill(this.#dispatcher.jobOf(allocation), 'reservation', seq)
    }
    return true
  }

  /** Whether a running job was started before its turn, and before the head's: one requeued may go before the head again. */
  #hasPassed(head: number, allocation: Allocation): boolean {
    return (
      this.#backfilled.has(allocation) && this.#dispatcher.waiting.isBefore(head, this.#dispatcher.jobOf(allocation))
    )
  }

  /** Makes the head's reservation, or looks at it again after something unforeseen. It moves later only when it cannot be kept. */
  #promise(head: number): void {
    const { placer, now } = this.#dispatcher
    const old = this.#reservation
    if (old === undefined) {
      this.#reserve(head, this.#find(head, Infinity))
    } else {
      // Without an early end a monotone policy finds nothing sooner: the jobs started since only take.
      const sooner = this.#mayBeSooner || !placer.claims.monotone ? this.#find(head, old.start) : undefined
      const kept = this.#isKept(old)
      if (sooner !== undefined || !kept) {
        this.#dispatcher.recorder.unreserve(now, this.#dispatcher.jobs[head].id, old.seq, this.#dispatcher.cause)
        this.#reserve(head, sooner ?? this.#find(head, Infinity))
      }
    }
    this.#mayBeSooner = false
    this.#mayBeBroken = false
  }

  #isKept(reservation: Reservation): boolean {
    const { now, state } = this.#dispatcher
    // Who kills lets nothing but a failure move a reservation.
    if (this.#kills) return state.isUp(reservation.placement)
    return reservation.start > now && (!this.#mayBeBroken || canKeep(state, reservation))
  }

  #find(head: number, before: number): Reservation | undefined {
    const { state, jobs, placer } = this.#dispatcher
    return findReservation(state, jobs[head].size, placer.claims.monotone, before, (later) =>
      this.#dispatcher.ask(head, later, 'reserve', undefined),
    )
  }

  #reserve(head: number, found: Reservation | undefined): void {
    const { recorder, jobs, now, cause } = this.#dispatcher
    const recorded = found && {
      ...found,
      job: head,
      seq: recorder.reserve(now, jobs[head].id, found.start, found.placement, cause),
    }
    this.#setReservation(recorded)
  }

  #setReservation(reservation: RecordedReservation | undefined): void {
    this.#reservation = reservation
    this.#refusedBeside.forget()
    this.#dropBeside()
  }

  /** Each of the first jobs behind the head starts if that cannot delay the head's reservation. */
  #backfill(head: number): void {
    const { waiting, now } = this.#dispatcher
    const shadow = this.#reservation?.start ?? Infinity
    let job = waiting.after(head)
    for (let seen = 0; seen < this.#window && job !== undefined; seen++) {
      const next = waiting.after(job)
      const placement = this.#dispatcher.estimatesVary
        ? this.#askByPlacement(job, shadow)
        : now + this.#dispatcher.estimate(job) <= shadow
          ? (this.#dispatcher.askNow(job) ?? this.#askBesideToo(job))
          : this.#askBeside(job, this.#reservation!)
      if (placement !== undefined) this.#start(job, placement)
      job = next
    }
  }

  #start(job: number, placement: Placement): void {
    const allocation = this.#dispatcher.start(job, placement, this.#reservation?.seq)
    if (this.#kills) this.#backfilled.add(allocation)
  }

  /** Only what is found tells how long the job would take there, and so whether it must be beside the reservation. */
  #askByPlacement(job: number, shadow: number): Placement | undefined {
    const placement = this.#dispatcher.askNow(job)
    if (placement === undefined) return this.#askBesideToo(job)
    const end = this.#dispatcher.now + this.#dispatcher.estimateOn(job, placement)
    return end <= shadow ? placement : this.#askBeside(job, this.#reservation!)
  }

  /** What the whole state refuses, a monotone policy refuses with less. */
  #askBesideToo(job: number): Placement | undefined {
    return this.#dispatcher.placer.claims.monotone || this.#reservation === undefined
      ? undefined
      : this.#askBeside(job, this.#reservation)
  }

  #askBeside(job: number, reservation: RecordedReservation): Placement | undefined {
    const { refused, state } = this.#dispatcher
    const key = this.#dispatcher.key(job)
    if (this.#dispatcher.remembers(job) && (this.#refusedBeside.has(key) || refused.has(key))) return undefined
    this.#beside ??= besideOf(state, reservation)
    return this.#dispatcher.ask(job, this.#beside, 'backfill', this.#refusedBeside, [reservation])
  }

  get #isCapped(): boolean {
    return this.#dispatcher.placer.claims.links === 'capped'
  }

  #dropBeside(): void {
    this.#beside?.drop()
    this.#beside = undefined
  }
}

/** Whether a job holds something that a placement needs: a node, a link, or bandwidth of a shared link that has too little left. */
function isInTheWay<Index>(state: ClusterState<Index>, allocation: Allocation, placement: Placement): boolean {
  const links = placement.links.map((ids, level) => inCommon(ids, allocation.links[level] ?? []))
  return !state.isFree({ nodes: inCommon(placement.nodes, allocation.nodes), links }, placement.bandwidth)
}

function inCommon(ids: ArrayLike<number>, others: ArrayLike<number>): ReadonlyArray<number> {
  const known = new Set(Array.from(others))
  return Array.from(ids).filter((id) => known.has(id))
}
