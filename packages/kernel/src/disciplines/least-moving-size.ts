import type { LoggedQueue } from '../scheduling-rules.ts'
import type { EasyBackfill } from '../simulation.ts'

/**
 * Returns the least size, in nodes, of a job that may move the reservation of the head to other nodes and links;
 * Infinity if the reservation is fixed.
 */
export function leastMovingSize(queue: EasyBackfill | Exclude<LoggedQueue, EasyBackfill>): number {
  if (queue.backfill !== 'easy' || queue.reservation !== 'movable' || queue.kill === true) return Infinity
  return queue.moveMinNodes ?? 1
}
