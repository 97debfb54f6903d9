import type { QueueRules } from '../../cluster/scheduler-rules.ts'
import type { Checks, Tally } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

/**
 * Returns checks that no job starts later than the start of its first reservation; the reason, a text, if the options
 * of the run do not guarantee this property for the discipline.
 */
export function startsByFirstReservation(
  model: ClusterModel,
  tally: Tally,
  discipline: QueueRules['backfill'],
): Checks | string {
  const { queue, estimates, runTimes } = model.rules
  if (queue.backfill !== discipline) return `the queue has another discipline (backfill: ${queue.backfill})`
  if (queue.order !== 'submit')
    return `a job that is submitted later may come earlier in the queue (order: ${queue.order})`
  if (estimates !== 'exact') return `estimates are not exact (estimates: ${estimates})`
  if (runTimes === 'contention') return `jobs may end later than estimated (runTimes: ${runTimes})`
  if (discipline === 'conservative' && runTimes !== 'fixed')
    return `run times depend on allocations (runTimes: ${runTimes})`
  /** Start of the first reservation of each waiting job, in seconds, by job id. */
  const firstStarts = new Map<string, number>()
  return {
    reserve(record) {
      if (!firstStarts.has(record.job)) firstStarts.set(record.job, record.start)
    },
    allocate(record) {
      const start = firstStarts.get(record.job)
      if (start === undefined || model.everDown) return
      firstStarts.delete(record.job)
      tally.tested()
      if (record.t > start)
        tally.violated(record, `job ${record.job} starts at ${record.t} s, after its first reservation at ${start} s`)
    },
  }
}
