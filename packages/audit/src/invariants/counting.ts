import type { Checks, Invariant } from '../invariant.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { estimateOf, type Job } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import { OVERRUN_GRACE } from './reservations.ts'
import { expectedEnd } from './starts-of-passes.ts'

export const backfillCounts: Invariant = {
  name: 'backfill-counts',
  property:
    'Under the discipline `counting`, the shadow time of the head is the first time at which enough nodes are expected to be free anywhere. A job that starts before the head ends by this time according to its estimate, or leaves the head enough nodes at this time. With `early` and `in-order`, each job that starts before the head ends by the shadow time, and no job starts before the head if enough nodes are already free. With `in-order`, each job that starts before the head stands directly behind the head. A running job is expected to end at its estimated end, but not within the next second.',
  begin(model, tally): Checks | string {
    const { backfill, passing } = model.rules.queue
    if (backfill !== 'counting')
      return `only the discipline counting reserves a number of nodes (backfill: ${backfill})`
    let pass = -1
    let shadow = 0
    /** Nodes that jobs may hold at the shadow time without taking nodes that the head needs. */
    let spare = 0
    return {
      allocate(record) {
        const {
          job,
          queue: { head },
        } = model
        if (job === undefined || head === undefined || job === head) return
        tally.tested()
        if (pass !== model.pass) {
          if (!model.effort.allows(model.holders.size * 4)) return tally.violated(record, TOO_MUCH)
          pass = model.pass
          ;[shadow, spare] = shadowOf(model, head)
        }
        const place = model.queue.before(job)
        const end = model.time + (estimateOf(record, job) ?? Infinity)
        const endsBefore = end <= shadow && (passing === undefined || shadow > model.time)
        if (passing === 'in-order' && place > 1)
          tally.violated(record, `job ${job.id} starts before the head, but ${place - 1} jobs wait between them`)
        else if (!endsBefore && passing !== undefined)
          tally.violated(
            record,
            `job ${job.id} starts before job ${head.id} and ends at ${end / 1000} s by its estimate, but enough nodes for job ${head.id} are expected to be free from ${shadow / 1000} s on`,
          )
        else if (!endsBefore && job.size > spare)
          tally.violated(
            record,
            `job ${job.id} starts before job ${head.id} and has ${job.size} nodes until ${end / 1000} s by its estimate, but only ${spare} nodes are expected to be free beside job ${head.id} at ${shadow / 1000} s`,
          )
        if (!endsBefore) spare -= job.size
      },
    }
  },
}

/** Returns the head's shadow time in ms, and the number of nodes that are expected to be free then beside the head. */
function shadowOf(model: ClusterModel, head: Job): readonly [time: number, spare: number] {
  const ends = Array.from(model.holders.values(), (holder) => ({
    time: Math.max(expectedEnd(model, holder, model.time), model.time + OVERRUN_GRACE),
    nodes: holder.allocation!.nodes,
  })).sort((a, b) => a.time - b.time)
  let [time, free] = [model.time, model.freeNodes]
  for (const end of ends) {
    if (free >= head.size && end.time > time) break
    time = end.time
    free += end.nodes
  }
  return [time, free - head.size]
}
