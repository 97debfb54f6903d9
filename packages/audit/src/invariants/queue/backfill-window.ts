import type { Allocate } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/cluster-model.ts'

export const backfillWindow: Invariant = {
  name: 'backfill-window',
  property:
    "A pass backfills in the queue's order and within the window: under EASY among as many jobs behind the head, as they waited when it began, under conservative backfilling among as many jobs that still wait.",
  begin(machine, tally) {
    const { backfill, window = Infinity } = machine.header.queue
    if (backfill === 'none') return `the queue does not backfill (backfill: ${backfill})`
    const isEasy = backfill === 'easy'
    let pass = -1
    /** The last job that this pass backfilled, and how many it has. */
    let last: Job | undefined
    let count = 0

    const check = (record: Allocate, job: Job): void => {
      if (pass !== machine.pass) {
        pass = machine.pass
        last = undefined
        count = 0
      }
      tally.tested()
      // Those that this pass backfilled stood between the head and this job.
      const behindHead = machine.queue.before(job) + (isEasy ? count : 0)
      const farthest = isEasy ? window : window - 1
      if (last !== undefined && !machine.precedes(last, job))
        tally.violated(record, `job ${job.id} is backfilled after job ${last.id}, which stood behind it`)
      else if (behindHead > farthest)
        tally.violated(record, `job ${job.id} stood ${behindHead} places behind the head, but the window is ${window}`)
      last = job
      count++
    }
    return {
      allocate(record) {
        if (record.backfill !== undefined && machine.job !== undefined && machine.job !== machine.queue.head)
          check(record, machine.job)
      },
    }
  },
}
