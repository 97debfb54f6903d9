import type { Kill, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/jobs.ts'

export const requeues: Invariant = {
  name: 'requeues',
  property:
    'If the header has the option `requeue`, each job that is killed for a reservation or a failed node is requeued right after its release. No other job is requeued.',
  begin(model, tally) {
    const { requeue: isOption } = model.rules
    /** Code of the latest kill of each job that has not been requeued since this kill. */
    const killCodes = new Map<Job, Kill['code']>()
    /** Job that the next record must requeue; seals and routes may come before the requeue. */
    let due: Job | undefined

    const shallWait = (job: Job): boolean =>
      isOption && (killCodes.get(job) === 'reservation' || killCodes.get(job) === 'node-down')
    const missed = (record: LogRecord): void => {
      if (due !== undefined)
        tally.violated(record, `job ${due.id} was killed and released, but is not requeued right after its release`)
      due = undefined
    }
    return {
      every(record) {
        if (record.type === 'seal' || record.type === 'route' || (record.type === 'requeue' && model.job === due))
          return
        missed(record)
      },
      kill(record) {
        if (model.job !== undefined) killCodes.set(model.job, record.code)
      },
      release() {
        const { job } = model
        if (job === undefined || !killCodes.has(job)) return
        tally.tested()
        if (shallWait(job)) due = job
      },
      requeue(record) {
        const { job } = model
        // The invariant job-life-cycle checks that the job was killed at all.
        if (job === undefined || !killCodes.has(job)) return
        if (!shallWait(job))
          tally.violated(
            record,
            isOption
              ? `job ${job.id} is requeued, but was killed for ${killCodes.get(job)!}; only jobs killed for reservation or node-down are requeued`
              : `job ${job.id} is requeued, but the header does not have the option requeue`,
          )
        else if (job !== due) tally.violated(record, `job ${job.id} is requeued, but not right after its release`)
        due = undefined
        killCodes.delete(job)
      },
    }
  },
}
