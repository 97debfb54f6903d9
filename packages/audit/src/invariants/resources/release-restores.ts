import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/jobs.ts'

export const releaseRestores: Invariant = {
  name: 'release-restores',
  property:
    'A job that finished or was killed releases its allocation once. In a simulation the release comes in the same instant as the finish or kill.',
  begin(model, tally) {
    /** Jobs that ended at the present instant and have not released their allocations yet. */
    const owing = new Set<Job>()
    let instant = 0
    const ended = (_record: Finish | Kill): void => {
      if (model.job?.state === 'running') owing.add(model.job)
    }
    return {
      finish: ended,
      kill: ended,
      every(record) {
        if (model.instant === instant && record.type !== 'end') return
        instant = model.instant
        if (model.header.origin !== 'simulated') return
        for (const job of owing)
          tally.violated(
            record,
            `job ${job.id} ended at record ${job.endedBy}, but did not release its allocation in the same instant`,
          )
        owing.clear()
      },
      release(record) {
        tally.tested()
        const job = model.job
        if (job?.allocation === undefined) tally.violated(record, `job ${record.job} has no allocation to release`)
        else if (job.state === 'running')
          tally.violated(record, `job ${record.job} releases its allocation, but the job is still running`)
        else owing.delete(job)
      },
    }
  },
}
