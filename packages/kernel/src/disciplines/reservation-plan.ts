import type { RecordedReservation } from '../reservation.ts'

/** A reservation of nodes and links from `start` up to, not including, `end`. Times are integer milliseconds. */
export interface Slot extends RecordedReservation {
  readonly end: number
}

/** Reservations of waiting jobs, at most one for each job. */
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

  /** Returns the first reservation that starts after `now`. */
  next(now: number): Slot | undefined {
    let first: Slot | undefined
    for (const slot of this.#slots.values()) {
      if (slot.start > now && (first === undefined || slot.start < first.start)) first = slot
    }
    return first
  }

  /**
   * Returns the number of nodes that are reserved for other jobs at a time. Without an overrun, no running job is
   * expected to hold them then.
   */
  nodesOfOthersAt(job: number, time: number): number {
    let nodes = 0
    for (const slot of this.#slots.values()) {
      if (slot.job !== job && slot.start <= time && time < slot.end) nodes += slot.placement.nodes.length
    }
    return nodes
  }

  /** Returns the reservations of other jobs that start after a time, by start, then by seq. */
  startingAfter(job: number, time: number): Array<Slot> {
    return [...this.#slots.values()]
      .filter((slot) => slot.job !== job && slot.start > time)
      .sort((a, b) => a.start - b.start || a.seq - b.seq)
  }

  /** Returns the ends of the reservations of other jobs. */
  endsOfOthers(job: number): ReadonlyArray<number> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job).map(({ end }) => end)
  }

  /**
   * Returns the reservations that overlap the time from `start` to `end`, without the reservation of `job` if given.
   */
  overlapping(job: number | undefined, start: number, end: number): Array<Slot> {
    return [...this.#slots.values()].filter((slot) => slot.job !== job && slot.start < end && slot.end > start)
  }
}
