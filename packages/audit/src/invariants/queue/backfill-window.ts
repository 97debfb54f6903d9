import type { Allocate } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/cluster-model.ts'

export const backfillWindow: Invariant = {
  name: 'backfill-window',
  property:
    "A pass backfills in the queue's order and within the window. Under EASY the window counts the jobs behind the head that waited when the pass began; under conservative backfilling, the jobs that still wait.",
  begin(model, tally) {
    const { backfill, window = Infinity } = model.header.queue
    if (backfill === 'none') return `the queue does not backfill (backfill: ${backfill})`
    const isEasy = backfill === 'easy'
    let pass = -1
    /** The last job that this pass backfilled, and how many it has. */
    let last: Job | undefined
    let count = 0

    const check = (record: Allocate, job: Job): void => {
      if (pass !== model.pass) {
        pass = model.pass
        last = undefined
        count = 0
      }
      tally.tested()
      // Those that this pass backfilled were between the head and this job.
      const behindHead = model.queue.before(job) + (isEasy ? count : 0)
      const farthest = isEasy ? window : window - 1
      if (last !== undefined && !model.precedes(last, job))
        tally.violated(record, `job ${job.id} is backfilled after job ${last.id}, which was behind it`)
      else if (behindHead > farthest)
        tally.violated(record, `job ${job.id} was ${behindHead} places behind the head, but the window is ${window}`)
      last = job
      count++
    }
    return {
      allocate(record) {
        if (record.backfill !== undefined && model.job !== undefined && model.job !== model.queue.head)
          check(record, model.job)
      },
    }
  },
}
