import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { JobState } from '../../cluster/jobs.ts'

export const jobLifeCycle: Invariant = {
  name: 'job-life-cycle',
  property:
    'A job is submitted once. Only a waiting job gets a reservation, is refused, is rejected or starts. Only a running job makes progress, finishes or is killed. Only a waiting or running job is cancelled. A requeue of a job follows a kill or a withdrawn start, and the release of the job. At the end of a whole simulation no job waits, unless a node or link is down. A withdraw names the start of a running job, or the kill of a job that was not released.',
  begin(model, tally) {
    const only =
      (verb: string, ...states: ReadonlyArray<JobState>) =>
      (record: LogRecord & { readonly job: string }): void => {
        tally.tested()
        const state = model.job?.state
        if (state === undefined) tally.violated(record, `job ${record.job} was never submitted`)
        else if (!states.includes(state))
          tally.violated(
            record,
            `job ${record.job} is ${verb}, but the job is ${state}; expected ${states.join(' or ')}`,
          )
      }
    const whileWaiting = {
      allocate: only('allocated', 'waiting'),
      reserve: only('given a reservation', 'waiting'),
      reject: only('rejected', 'waiting'),
      refuse: only('refused', 'waiting'),
    }
    return {
      ...whileWaiting,
      submit(record) {
        tally.tested()
        if (model.job !== undefined) tally.violated(record, `job ${record.job} is submitted a second time`)
      },
      cancel: only('cancelled', 'waiting', 'running'),
      finish: only('finished', 'running'),
      kill: only('killed', 'running'),
      requeue(record) {
        tally.tested()
        const job = model.job
        if (job?.state !== 'over' || job.killedBy === 0)
          tally.violated(record, `job ${record.job} is requeued, but was not killed and released before`)
      },
      withdraw(record) {
        tally.tested()
        const job = model.job
        const stands =
          (job?.state === 'running' && job.allocation?.seq === record.of) ||
          (job?.state === 'killed' && job.killedBy === record.of)
        if (!stands)
          tally.violated(
            record,
            `record ${record.of} is no allocate or kill of job ${record.job} that a withdraw can undo`,
          )
      },
      progress: only('making progress', 'running'),
      end(record) {
        if (!model.endsItself) return
        const stuck = model.queue.head
        if (stuck !== undefined && model.downResources === 0) {
          tally.violated(record, `job ${stuck.id} still waits at the end of the log, though no node or link is down`)
        }
      },
    }
  },
}
