import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import { endByEstimate, walltimeOf } from '../../cluster/cluster-model.ts'
import { firstCommon } from '../../cluster/named-resources.ts'

export const reservationsApart: Invariant = {
  name: 'reservations-apart',
  property:
    'Under conservative backfilling no part is, by estimate, at one time reserved for two jobs, or reserved for one and given to another that starts.',
  begin(machine, tally) {
    const { backfill } = machine.header.queue
    if (backfill !== 'conservative') return `no two reservations at a time (backfill: ${backfill})`
    const check = (record: Allocate | Reserve, start: number): void => {
      const { job, parts } = machine
      if (job === undefined || parts === undefined) return
      tally.tested()
      const end = endByEstimate(record.type === 'allocate' ? walltimeOf(record, job) : job.walltime, start)
      for (const other of machine.reservations.values()) {
        if (other.job === job || other.end <= start || end <= other.start) continue
        const common = firstCommon(parts.cells, other.parts.cells)
        if (common === undefined || common >= machine.exclusiveCells) continue
        tally.violated(
          record,
          `takes ${machine.nameOf(common)} from ${start / 1000} to ${end / 1000}, which job ${other.job.id} has reserved from ${other.start / 1000} to ${other.end / 1000}`,
        )
        return
      }
    }
    return {
      allocate: (record) => check(record, machine.time),
      reserve: (record) => check(record, Math.round(record.start * 1000)),
    }
  },
}
