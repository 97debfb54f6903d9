import type { Allocation, Placement } from '@cloister/placement'
import type { RecordedReservation } from '../reservation.ts'

/** Queue discipline: decides which jobs start at each scheduling pass, and learns of every change of the cluster. */
export interface Discipline {
  /** Time of the next pass that is due without an event, integer milliseconds; Infinity if no pass is due. */
  readonly wakeTime: number
  /** Seq of the record that causes the scheduling pass at `wakeTime`. */
  readonly wakeCause: number
  pass(): void
  /** Returns the placement on which a tried job would start in a pass now; undefined if the job would wait. */
  placementNow(job: number): Placement | undefined
  /** Reports the end of a pass whose decisions came from a log. */
  endPass(): void
  /** Takes over a reservation of an earlier scheduler of the same log. */
  adopt(reservation: RecordedReservation): void
  /** Forgets the reservation of a job, without a record. */
  drop(job: number): void
  onStart(allocation: Allocation): void
  onRelease(allocation: Allocation): void
  /** Reports that a running job passed its estimate: `extended` is its allocation with a later expected end. */
  onOverrun(allocation: Allocation, extended: Allocation): void
  /** Reports that a waiting job was cancelled. */
  onCancel(): void
  /** Reports that nodes or links failed or were repaired. */
  onOutage(change: 'down' | 'up'): void
}
