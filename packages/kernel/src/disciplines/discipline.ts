import type { Allocation } from '@cloister/placement'

/** Decides which jobs start when, and learns what happens to the cluster between its scheduling passes. */
export interface Discipline {
  /** A pass is due at this time even if nothing happens, integer milliseconds; Infinity for none. */
  readonly wakeTime: number
  /** Seq of the record that asks for it. */
  readonly wakeCause: number
  /** One scheduling pass. */
  pass(): void
  /** A job has started with this. */
  onStart(allocation: Allocation): void
  /** A job that held this has ended or was killed. */
  onRelease(allocation: Allocation): void
  /** A running job is now expected to end later. */
  onOverrun(allocation: Allocation, extended: Allocation): void
  /** A waiting job left the queue for good. */
  onCancel(): void
  /** Nodes or links failed or came back. */
  onOutage(change: 'down' | 'up'): void
}
