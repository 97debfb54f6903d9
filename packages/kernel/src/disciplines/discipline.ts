import type { Allocation } from '@cloister/placement'

/**
 * Queue discipline: decides which job starts at each scheduling pass. The dispatcher reports every change of the
 * cluster.
 */
export interface Discipline {
  /** Time of the next pass that is due without an event, integer milliseconds; Infinity if no pass is due. */
  readonly wakeTime: number
  /** Seq of the record that causes the scheduling pass at `wakeTime`. */
  readonly wakeCause: number
  /** Makes one scheduling pass. */
  pass(): void
  /** Reports that a job has started with this allocation. */
  onStart(allocation: Allocation): void
  /** Reports that the job of this allocation has ended or was killed. */
  onRelease(allocation: Allocation): void
  /** Reports that a running job is now expected to end later. */
  onOverrun(allocation: Allocation, extended: Allocation): void
  /** Reports that a waiting job left the queue for good. */
  onCancel(): void
  /** Reports that nodes or links failed or were repaired. */
  onOutage(change: 'down' | 'up'): void
}
