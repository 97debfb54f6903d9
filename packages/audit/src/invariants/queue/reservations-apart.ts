import type { Allocate, Reserve } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import { endByEstimate, estimateOf } from '../../cluster/jobs.ts'
import { firstCommon } from '../../cluster/named-resources.ts'

export const reservationsApart: Invariant = {
  name: 'reservations-apart',
  property:
    'Under conservative backfilling, and by estimates, no node or link is reserved for two jobs at the same time, or allocated to one job while reserved for another job. Links shared up to a cap are exempt.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    if (backfill !== 'conservative')
      return `only conservative backfilling has several reservations at a time (backfill: ${backfill})`
    const check = (record: Allocate | Reserve, start: number): void => {
      const { job, named } = model
      if (job === undefined || named === undefined) return
      tally.tested()
      const end = endByEstimate(record.type === 'allocate' ? estimateOf(record, job) : job.estimate, start)
      for (const other of model.reservations.values()) {
        if (other.job === job || other.end <= start || end <= other.start) continue
        if (!model.effort.allows(1 + named.resources.length + other.resources.length))
          return tally.violated(record, TOO_MUCH)
        const common = firstCommon(named.resources, other.resources)
        if (common === undefined || common >= model.exclusiveResources) continue
        tally.violated(
          record,
          `job ${job.id} takes ${model.nameOf(common)} from ${start / 1000} s to ${end / 1000} s, but job ${other.job.id} has reserved ${model.nameOf(common)} from ${other.start / 1000} s to ${other.end / 1000} s`,
        )
        return
      }
    }
    return {
      allocate: (record) => check(record, model.time),
      reserve: (record) => check(record, Math.round(record.start * 1000)),
    }
  },
}
