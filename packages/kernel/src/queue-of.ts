import type { BoundOrder } from '@cloister/ordering'
import type { Jobs } from '@cloister/workload'
import { HeldQueue } from './held-queue.ts'
import { type QueueHistory, viewOfJobs } from './queue-view.ts'
import { compare, RankedQueue, scoresOf } from './ranked-queue.ts'
import type { SchedulingRules } from './scheduling-rules.ts'
import type { Instant } from './setup.ts'
import { GrowingQueue, type JobQueue, WaitingJobs } from './waiting-jobs.ts'

/**
 * Returns the numbers of all jobs in the order of a fixed order.
 *
 * @param order order with the claim `fixed`; undefined for the order of submission
 * @throws OrderFaultError
 */
export function queueOrder(
  jobs: Jobs,
  order: BoundOrder | undefined,
  estimates: SchedulingRules['estimates'],
): Int32Array {
  const numbers = new Int32Array(jobs.length).map((_, job) => job)
  if (order === undefined) return numbers
  const scores = scoresOf(order, viewOfJobs(jobs, estimates, numbers))
  return numbers.sort((a, b) => compare(scores[a], scores[b]) || a - b)
}

/**
 * Returns an empty queue for jobs under an order.
 *
 * @param instant time at which a job joins or leaves the queue
 * @param grows true if the caller adds jobs to `jobs` later
 * @param history view of the queue for an order whose scores change
 */
export function queueOf(
  jobs: Jobs,
  order: BoundOrder | undefined,
  estimates: SchedulingRules['estimates'],
  instant: Instant,
  grows: boolean,
  history: QueueHistory | undefined,
): JobQueue {
  const queue = eligibleQueueOf(jobs, order, estimates, grows, history)
  return order?.ordering.claims.recorded === true ? new HeldQueue(queue, jobs, instant) : queue
}

function eligibleQueueOf(
  jobs: Jobs,
  order: BoundOrder | undefined,
  estimates: SchedulingRules['estimates'],
  grows: boolean,
  history: QueueHistory | undefined,
): JobQueue {
  if (order !== undefined && history !== undefined) return new RankedQueue(order, (waiting) => history.view(waiting))
  if (!grows) return new WaitingJobs(queueOrder(jobs, order, estimates))
  const keys: Array<number> = []
  return new GrowingQueue((job) => {
    if (order === undefined) return 0
    return (keys[job] ??= scoresOf(order, viewOfJobs(jobs, estimates, [job]))[0])
  })
}
