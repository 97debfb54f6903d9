import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { JobState } from '../../cluster/cluster-model.ts'

export const jobLifeCycle: Invariant = {
  name: 'job-life-cycle',
  property:
    'A job is submitted once. Only a waiting job is reserved for, refused, rejected or allocated; only a running job makes progress, finishes or is killed; either may be cancelled. A requeue of a job follows a kill or a withdrawn start, and its release. At the end of a whole simulation no job waits, unless a node or link is down. A withdraw names the start of a running job, or the kill of a job that was not released.',
  begin(model, tally) {
    const only =
      (verb: string, ...states: ReadonlyArray<JobState>) =>
      (record: LogRecord & { readonly job: string }): void => {
        tally.tested()
        const state = model.job?.state
        if (state === undefined) tally.violated(record, `job ${record.job} was never submitted`)
        else if (!states.includes(state)) tally.violated(record, `job ${record.job} is ${verb} while it is ${state}`)
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
          tally.violated(record, `job ${record.job} is requeued without having been killed and released`)
      },
      withdraw(record) {
        tally.tested()
        const job = model.job
        const stands =
          (job?.state === 'running' && job.holding?.seq === record.of) ||
          (job?.state === 'killed' && job.killedBy === record.of)
        if (!stands)
          tally.violated(record, `record ${record.of} is no start or kill of job ${record.job} that still stands`)
      },
      progress: only('said to make progress', 'running'),
      end(record) {
        if (!model.endsItself) return
        const stuck = model.queue.head
        if (stuck !== undefined && model.downResources === 0) {
          tally.violated(record, `job ${stuck.id} still waits, though nothing is down and nothing will happen any more`)
        }
      },
    }
  },
}
