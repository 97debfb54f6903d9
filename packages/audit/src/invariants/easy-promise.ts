import type { Invariant } from '../invariant.ts'

export const easyPromise: Invariant = {
  name: 'easy-promise',
  property: 'Under first-come order, exact walltimes and no failures so far, no job starts after its first reservation.',
  begin(machine, tally) {
    const { queue, walltime } = machine.header
    if (queue.backfill !== 'easy') return `the queue makes no reservations (backfill: ${queue.backfill})`
    if (walltime !== 'exact') return `walltimes are not exact (walltime: ${walltime})`
    /** Start of each waiting job's first reservation, in seconds. */
    const promised = new Map<string, number>()
    return {
      reserve(record) {
        if (!promised.has(record.job)) promised.set(record.job, record.start)
      },
      allocate(record) {
        const start = promised.get(record.job)
        if (start === undefined || machine.everDown) return
        promised.delete(record.job)
        tally.tested()
        if (record.t > start) tally.violated(record, `starts at ${record.t}, after its first reservation at ${start}`)
      },
    }
  },
}
