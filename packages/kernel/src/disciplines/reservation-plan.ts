import type { RecordedReservation } from '../reservation.ts'

/** A reservation that holds its nodes and links from its start up to, not including, its end. Times are integer milliseconds. */
export interface Slot extends RecordedReservation {
  readonly end: number
}

/** The reservations of several jobs, one each. */
export class ReservationPlan {
  readonly #slots = new Map<number, Slot>()

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
  jobs(): ReadonlySet<number> {
    return new Set(this.#slots.keys())
  }

  /** The first one that starts after `now`. */
  next(now: number): Slot | undefined {
    let first: Slot | undefined
    for (const slot of this.#slots.values()) {
      if (slot.start > now && (first === undefined || slot.start < first.start)) first = slot
    }
    return first
  }

  /** Nodes that are reserved for other jobs at a time; no running job is expected to hold them then, unless it overruns. */
  nodesOfOthersAt(job: number, time: number): number {
    let nodes = 0
    for (const slot of this.#slots.values()) {
      if (slot.job !== job && slot.start <= time && time < slot.end) nodes += slot.placement.nodes.length
    }
    return nodes
  }

  /** The reservations of other jobs that start after a time, in order of their starts; those of one time in the order in which they were made. */
  startingAfter(job: number, time: number): Array<Slot> {
    return [...this.#slots.values()]
      .filter((slot) => slot.job !== job && slot.start > time)
      .sort((a, b) => a.start - b.start || a.seq - b.seq)
  }

  /** When the reservations of other jobs end. */
  endsOfOthers(job: number): ReadonlyArray<number> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job).map(({ end }) => end)
  }

  /** The reservations of other jobs, or all, for some of the time from `start` to `end`. */
  overlapping(job: number | undefined, start: number, end: number): Array<Slot> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job && slot.start < end && slot.end > start)
  }
}
