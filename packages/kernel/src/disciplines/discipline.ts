import type { Allocation } from '@cloister/placement'

/** Who starts when. Told what happens to the machine between its passes. */
export interface Discipline {
  /** A pass is due at this time even if nothing happens; Infinity for none. */
  readonly wakeTime: number
  /** Seq of the record that asks for it. */
  readonly wakeCause: number
  /** One scheduling pass. */
  pass(): void
  /** A job was given this. */
  started(allocation: Allocation): void
  /** A job has ended or was killed. */
  released(allocation: Allocation): void
  /** A running job is now expected to end later. */
  overran(allocation: Allocation, changed: Allocation): void
  /** A waiting job left the queue for good. */
  cancelled(): void
  /** Parts broke or were mended. */
  changed(change: 'down' | 'up'): void
}
