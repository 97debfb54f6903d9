import type { RecordedReservation } from '../reservation.ts'

/** A recorded reservation that holds from `start` up to, not including, `end`. Times are integer milliseconds. */
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
