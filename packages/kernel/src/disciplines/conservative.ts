import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import type { Discipline } from './discipline.ts'
import { type Dispatcher, OVERRUN_GRACE_MS } from './dispatcher.ts'
import type { RecordedReservation, Reservation } from './reservation.ts'

/** A reservation holds its parts from its start up to, not including, its end. */
interface Slot extends RecordedReservation {
  readonly end: number
}

/**
 * Conservative backfilling: each of the first `window` jobs has an allocation reserved from its start for as long as
 * its estimate, made in the order of the queue; nobody delays a reservation made before. After an early end
 * reservations are tried again in order; they move sooner, never later, unless an overrun or a failure breaks them.
 *
 * Where the estimate depends on the placement, that of a reservation is the job's by itself: what it will take is known when it
 * starts. It then starts even if that is longer, and those behind it in the queue whose reservations it meets are promised anew; not
 * if it meets one of a job before it.
 */
export class Conservative<Index> implements Discipline {
  readonly #dispatcher: Dispatcher<Index>
  readonly #window: number
  readonly #slots = new Map<number, Slot>()
  #mayBeSooner = false

  constructor(dispatcher: Dispatcher<Index>, window: number) {
    this.#dispatcher = dispatcher
    this.#window = window
  }

  get wakeTime(): number {
    return this.#next()?.start ?? Infinity
  }
  get wakeCause(): number {
    return this.#next()?.seq ?? 0
  }

  pass(): void {
    const { waiting } = this.#dispatcher
    this.#leaveWindow()
    let job = waiting.head
    for (let seen = 0; seen < this.#window && job !== undefined;) {
      const next = waiting.after(job)
      // Whoever starts makes room in the window.
      if (!this.#consider(job)) seen++
      job = next
    }
    this.#mayBeSooner = false
  }

  /** In another order than that of submission new jobs push others out of the window: those give up their reservations first. */
  #leaveWindow(): void {
    const { waiting } = this.#dispatcher
    const left = new Set(this.#slots.keys())
    let job = waiting.head
    for (let seen = 0; seen < this.#window && job !== undefined; seen++, job = waiting.after(job)) left.delete(job)
    for (const each of left) this.#unreserve(each)
  }

  released(allocation: Allocation): void {
    if (allocation.estimatedEnd > this.#dispatcher.now) this.#mayBeSooner = true
  }
  started(): void {
    /* Its reservation goes with it. */
  }
  overran(): void {
    /* Noticed when a reservation cannot be kept at its time. */
  }
  cancelled(): void {
    this.#mayBeSooner = true
  }
  changed(): void {
    this.#mayBeSooner = true
  }

  /** The first slot that is still to come. */
  #next(): Slot | undefined {
    let first: Slot | undefined
    for (const slot of this.#slots.values()) {
      if (slot.start > this.#dispatcher.now && (first === undefined || slot.start < first.start)) first = slot
    }
    return first
  }

  /** True when the job starts. */
  #consider(job: number): boolean {
    const { now, state } = this.#dispatcher
    const slot = this.#slots.get(job)
    if (slot === undefined) return this.#plan(job)
    const { start, placement } = slot
    if (start === now && state.isFree(placement, placement.bandwidth) && this.#makeRoom(job, slot))
      return this.#start(job, placement)
    // What could not start at its time would later meet what others were promised.
    const kept = start > now && state.isUp(placement)
    if (kept && !this.#mayBeSooner) return false
    const immediate = this.#askNow(job, 0)
    if (immediate !== undefined) return this.#start(job, immediate)
    const sooner = this.#find(job, kept ? start : Infinity)
    if (kept && sooner === undefined) return false
    this.#unreserve(job)
    return this.#promise(job, sooner)
  }

  /** A job without a reservation starts now, or is promised the earliest time at which it can. */
  #plan(job: number): boolean {
    const immediate = this.#askNow(job, 0)
    if (immediate !== undefined) return this.#start(job, immediate)
    return this.#promise(job, this.#find(job, Infinity))
  }

  /** Reserves what was found; true when it starts the job, for it is free already. */
  #promise(job: number, found: Reservation | undefined): boolean {
    const { now, recorder, jobs, cause, state } = this.#dispatcher
    if (found === undefined) return false
    const { start, placement } = found
    if (start === now && state.isFree(placement, placement.bandwidth)) return this.#start(job, placement)
    const seq = recorder.reserve(now, jobs[job].id, start, placement, cause)
    this.#slots.set(job, { ...found, job, seq, end: start + this.#span(job) })
    return false
  }

  /** Its own reservation, where it has one, has served. */
  #start(job: number, placement: Placement): true {
    const head = this.#dispatcher.waiting.head!
    this.#slots.delete(job)
    // Who starts before the head passes the head's reservation.
    this.#dispatcher.start(job, placement, job === head ? undefined : this.#slots.get(head)?.seq)
    return true
  }

  #unreserve(job: number): void {
    const { now, recorder, jobs, cause } = this.#dispatcher
    recorder.unreserve(now, jobs[job].id, this.#slots.get(job)!.seq, cause)
    this.#slots.delete(job)
  }

  /** How long a job occupies its parts: one of no length still has its instant to itself. */
  #span(job: number): number {
    return Math.max(this.#dispatcher.estimate(job), 1)
  }

  /** The earliest expected end before `before` from which the job has an allocation for all of its estimate. */
  #find(job: number, before: number): Reservation | undefined {
    const { state, jobs } = this.#dispatcher
    let released = 0
    let free = state.freeNodes
    for (const start of this.#ends(job, before)) {
      while (released < state.running.length && state.running[released].estimatedEnd <= start)
        free += state.running[released++].nodes.length
      if (free - this.#promisedAt(job, start) < jobs[job].size && start >= this.#dispatcher.now + OVERRUN_GRACE_MS)
        continue
      const placement =
        start === this.#dispatcher.now
          ? this.#askNow(job, released)
          : this.#askAt(job, start, start + this.#span(job), released)
      if (placement !== undefined) return { start, placement }
    }
    return undefined
  }

  /** Nodes that the reservations of others hold at a time; no running job is expected to hold them then, unless it overruns. */
  #promisedAt(job: number, time: number): number {
    let nodes = 0
    for (const slot of this.#slots.values()) {
      if (slot.job !== job && slot.start <= time && time < slot.end) nodes += slot.placement.nodes.length
    }
    return nodes
  }

  /** When running jobs and reservations of others are expected to end; jobs of no length end in a further round of this instant. */
  #ends(job: number, before: number): ReadonlyArray<number> {
    const { now, state } = this.#dispatcher
    const ends = new Set(state.running.map(({ estimatedEnd }) => estimatedEnd))
    for (const slot of this.#slots.values()) if (slot.job !== job) ends.add(slot.end)
    return [...ends].filter((end) => end >= now && end < before).sort((a, b) => a - b)
  }

  /** A placement that is beside every reservation that the job would meet on it, with the first `released` running jobs gone. */
  #askNow(job: number, released: number): Placement | undefined {
    const { now, estimatesVary } = this.#dispatcher
    for (let end = now + this.#span(job); ;) {
      const placement = this.#askAt(job, now, end, released)
      if (placement === undefined || !estimatesVary) return placement
      const needed = now + this.#spanOn(job, placement)
      if (needed <= end) return placement
      end = needed
    }
  }

  #spanOn(job: number, placement: Placement): number {
    return Math.max(this.#dispatcher.estimateOn(job, placement), 1)
  }

  /** Takes back the reservations that the job would meet on its own for being longer there; false where one is of a job before it. */
  #makeRoom(job: number, { placement, end }: Slot): boolean {
    const { now, waiting, estimatesVary } = this.#dispatcher
    const needed = estimatesVary ? now + this.#spanOn(job, placement) : end
    if (needed < end) this.#mayBeSooner = true
    if (needed <= end) return true
    const kept: Array<Placement> = []
    const lost: Array<Slot> = []
    for (const slot of this.#met(job, now, needed).sort((a, b) => (waiting.isBefore(a.job, b.job) ? -1 : 1))) {
      if (this.#isFreeBeside(placement, [...kept, slot.placement])) kept.push(slot.placement)
      else lost.push(slot)
    }
    if (lost.some((slot) => waiting.isBefore(slot.job, job))) return false
    for (const slot of lost) this.#unreserve(slot.job)
    return true
  }

  #isFreeBeside(placement: Placement, reserved: ReadonlyArray<Placement>): boolean {
    const fork = this.#dispatcher.state.fork()
    fork.withholdAll(reserved)
    const free = fork.isFree(placement, placement.bandwidth)
    fork.drop()
    return free
  }

  /** The reservations of others for some of that time. */
  #met(job: number, start: number, end: number): Array<Slot> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job && slot.start < end && slot.end > start)
  }

  /** With the first `released` running jobs gone, and beside every reservation of others from `start` to `end`. */
  #askAt(job: number, start: number, end: number, released: number): Placement | undefined {
    const { now, state } = this.#dispatcher
    const fork: ClusterState<Index> = state.fork()
    fork.releaseFirst(released)
    const met = this.#met(job, start, end)
    fork.withholdAll(met.map(({ placement }) => placement))
    const placement = this.#dispatcher.ask(
      job,
      fork,
      released === 0 && start === now ? 'start' : 'reserve',
      undefined,
      met,
    )
    fork.drop()
    return placement
  }
}
