import type { Down, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/cluster-model.ts'

export const nodeDownKills: Invariant = {
  name: 'node-down-kills',
  property:
    'When a node goes down, the running job that holds the node is killed in the same instant. No other job is killed for a failed node, and no job is killed for a failed link.',
  begin(model, tally) {
    /** Jobs to kill at this instant, with the seqs of the down records. */
    const owing = new Map<Job, number>()
    const settle = (record: LogRecord): void => {
      for (const [job, down] of owing)
        tally.violated(record, `job ${job.id} is not killed, though record ${down} takes a node of it down`)
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
          tally.violated(record, `job ${record.job} is killed, though no node of it goes down at this instant`)
      },
    }
  },
}

/** Records that may come between a down and the last kill for it. */
const follows: ReadonlySet<LogRecord['type']> = new Set(['down', 'up', 'kill', 'release', 'route', 'requeue', 'seal'])
