import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/cluster-model.ts'

export const releaseRestores: Invariant = {
  name: 'release-restores',
  property:
    'A job that finished or was killed releases its allocation once; in a simulation it does so in the same instant.',
  begin(model, tally) {
    /** Jobs that ended at this instant and have not released yet. */
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
          tally.violated(record, `job ${job.id} ended at record ${job.endedBy} and did not release at that instant`)
        owing.clear()
      },
      release(record) {
        tally.tested()
        const job = model.job
        if (job?.holding === undefined) tally.violated(record, `job ${record.job} holds nothing that it could release`)
        else if (job.state === 'running') tally.violated(record, `job ${record.job} releases while it runs`)
        else owing.delete(job)
      },
    }
  },
}
