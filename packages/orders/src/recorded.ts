import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/**
 * The order in which the jobs of a recorded history started. A job waits until its turn: until all jobs with an earlier
 * recorded start are submitted, and then stand before it. No recorded time is read, so only placement, queue discipline
 * and run times differ from the history.
 */
export const recorded: QueueOrder = plainOrder(
  'recorded',
  true,
  // Without the column every score is NaN, a fault of the order.
  ({ turn }, row) => turn?.[row] ?? NaN,
  { recorded: true },
)
