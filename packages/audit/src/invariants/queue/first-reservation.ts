import type { QueueRules } from '../../cluster/scheduler-rules.ts'
import type { Checks, Tally } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

/** Compares each start with the job's first reservation, if the queue discipline guarantees no later start. */
export function startsByFirstReservation(
  model: ClusterModel,
  tally: Tally,
  discipline: QueueRules['backfill'],
): Checks | string {
  const { queue, estimates, runTimes } = model.rules
  if (queue.backfill !== discipline) return `the queue has another discipline (backfill: ${queue.backfill})`
  if (queue.order !== 'submit') return `later jobs may come before earlier ones (order: ${queue.order})`
  if (estimates !== 'exact') return `estimates are not exact (estimates: ${estimates})`
  if (runTimes === 'contention') return `jobs may end later than expected (runTimes: ${runTimes})`
  if (discipline === 'conservative' && runTimes !== 'fixed')
    return `run times depend on allocations (runTimes: ${runTimes})`
  /** Start of each waiting job's first reservation, in seconds. */
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
      if (record.t > start) tally.violated(record, `starts at ${record.t}, after its first reservation at ${start}`)
    },
  }
}
