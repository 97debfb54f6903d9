import type { Kill, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/cluster-model.ts'

export const requeues: Invariant = {
  name: 'requeues',
  property:
    'If the queue has the requeue option, each job that is killed for a reservation or a failed node is requeued right after its release. No other job is requeued.',
  begin(model, tally) {
    const { requeue: isOption } = model.rules
    /** The code of the latest kill of each job that has not been requeued since. */
    const killCodes = new Map<Job, Kill['code']>()
    /** Job to requeue by the next record; seals and routes may come first. */
    let due: Job | undefined

    const shallWait = (job: Job): boolean =>
      isOption && (killCodes.get(job) === 'reservation' || killCodes.get(job) === 'node-down')
    const missed = (record: LogRecord): void => {
      if (due !== undefined) tally.violated(record, `job ${due.id} was killed and released, and is not requeued`)
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
              ? `job ${job.id} was killed for ${killCodes.get(job)!}: it is not to run again`
              : 'the queue has no requeue option',
          )
        else if (job !== due) tally.violated(record, `job ${job.id} is requeued, but not right after its release`)
        due = undefined
        killCodes.delete(job)
      },
    }
  },
}
