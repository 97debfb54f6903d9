import type { QueueRef } from '@cloister/eventlog'
import type { Checks, Tally } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

/** Compares each start with the job's first reservation, if the queue discipline guarantees no later start. */
export function startsByFirstReservation(
  model: ClusterModel,
  tally: Tally,
  discipline: QueueRef['backfill'],
): Checks | string {
  const { queue, estimates, run_times: runTimes } = model.header
  if (queue.backfill !== discipline) return `the queue has another discipline (backfill: ${queue.backfill})`
  if (queue.order !== 'submit') return `later jobs may come before earlier ones (order: ${queue.order})`
  if (estimates !== 'exact') return `estimates are not exact (estimates: ${estimates})`
  if (runTimes?.startsWith('contention:') === true) return `jobs may end later than expected (run_times: ${runTimes})`
  if (discipline === 'conservative' && runTimes !== undefined)
    return `run times depend on allocations (run_times: ${runTimes})`
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
