import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/jobs.ts'

export const queueOrder: Invariant = {
  name: 'queue-order',
  property:
    'Jobs start in queue order, with three exceptions: backfilled jobs, a job for which other jobs were killed, and any job while a node or link is down and the head has no reservation. Only the head gets a reservation; under conservative backfilling, any job within the window.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    const reserved = backfill === 'conservative' ? window : 1
    const mayPass = (job: Job, head: Job): boolean =>
      model.killedFor === job || (model.downResources > 0 && head.reservation === undefined)
    const check = (record: Allocate | Reserve, wrongly: (job: Job, head: Job) => string | undefined): void => {
      const {
        job,
        queue: { head },
      } = model
      if (job === undefined || head === undefined) return
      tally.tested()
      const what = head === job ? undefined : wrongly(job, head)
      if (what !== undefined)
        tally.violated(record, `job ${job.id} ${what}, but job ${head.id} is at the head of the queue`)
    }
    return {
      allocate(record) {
        if (record.backfill !== undefined) return
        check(record, (job, head) => (mayPass(job, head) ? undefined : 'starts without backfilling'))
      },
      reserve(record) {
        check(record, (job) => {
          const before = model.queue.before(job)
          return before < reserved
            ? undefined
            : reserved === 1
              ? 'gets the reservation'
              : `gets a reservation in place ${before + 1} of the queue, beyond the window of ${reserved}`
        })
      },
    }
  },
}
