import type { Submit, SubmittedJob } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/**
 * A job as the log has it: with what the scheduler believes of its length, and what its user asked for where that is another time.
 *
 * @param estimate in milliseconds
 */
export function submittedJob(job: Job, estimate: number): SubmittedJob {
  const { id, size, walltime, name, user, account, queue, bandwidth, communication } = job
  const plain = { id, size, estimate }
  const hasLabels = name !== undefined || user !== undefined || account !== undefined || queue !== undefined
  const hasWants = bandwidth !== undefined || communication !== undefined
  const hasWalltime = walltime !== undefined && walltime !== estimate
  if (!hasLabels && !hasWants && !hasWalltime) return plain
  return {
    ...plain,
    ...(hasWalltime && { walltime }),
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
    ...(bandwidth !== undefined && { bandwidth }),
    // The log names the matrix of a job, and has its checksum in the header.
    ...(communication !== undefined && {
      communication: { pattern: communication.pattern, share: communication.share },
    }),
  }
}

/** What a submit record has of its job besides times and size: whose it is, and what it wants of the links. */
export function labelsOf({
  name,
  user,
  account,
  queue,
  bandwidth,
  communication,
}: Submit): Pick<Job, 'name' | 'user' | 'account' | 'queue' | 'bandwidth' | 'communication'> {
  return {
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
    ...(bandwidth !== undefined && { bandwidth }),
    ...(communication !== undefined && { communication }),
  }
}
