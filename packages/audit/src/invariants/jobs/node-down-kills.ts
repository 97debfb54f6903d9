import type { Down, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/jobs.ts'

export const nodeDownKills: Invariant = {
  name: 'node-down-kills',
  property:
    'When a node goes down, the running job that holds the node is killed in the same instant. No other job is killed with the code `node-down`, and no job is killed for a failed link.',
  begin(model, tally) {
    /** Jobs that must be killed at this instant, with the seq of the down record. */
    const owing = new Map<Job, number>()
    const settle = (record: LogRecord): void => {
      for (const [job, down] of owing)
        tally.violated(record, `job ${job.id} is not killed, but a node of the job failed in record ${down}`)
      owing.clear()
    }
    const goesDown = (record: Down): void => {
      for (const node of model.named!.nodes) {
        tally.tested()
        const job = model.holderOf(node)
        if (job?.state === 'running') owing.set(job, record.seq)
      }
    }
    return {
      every(record) {
        if (owing.size > 0 && (model.isPassOver || !follows.has(record.type))) settle(record)
      },
      down: goesDown,
      kill(record) {
        if (record.code !== 'node-down') return
        tally.tested()
        if (model.job !== undefined && !owing.delete(model.job))
          tally.violated(
            record,
            `job ${record.job} is killed for a failed node, but no node of the job fails at this instant`,
          )
      },
    }
  },
}

/** Types of records that may come between a down record and the last kill for this record. */
const follows: ReadonlySet<LogRecord['type']> = new Set(['down', 'up', 'kill', 'release', 'route', 'requeue', 'seal'])
