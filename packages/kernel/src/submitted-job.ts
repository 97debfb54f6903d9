import type { Submit, SubmittedJob } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/**
 * Returns a job as its submit record holds it: with `estimate`, in milliseconds, and with its walltime if the two
 * differ.
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
    // The header holds the checksum of the communication matrix.
    ...(communication !== undefined && {
      communication: { pattern: communication.pattern, share: communication.share },
    }),
  }
}

/** Returns the labels of a submit record (name, user, account, queue) and its wants (bandwidth, communication). */
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
