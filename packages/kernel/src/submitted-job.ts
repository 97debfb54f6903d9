import type { Submit, SubmittedJob } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/**
 * Returns a job as its submit record holds it: with `estimate`, in milliseconds, and with its walltime if the two
 * differ.
 */
export function submittedJob(job: Job, estimate: number): SubmittedJob {
  const { id, size, walltime, name, user, account, queue, bandwidth, communication, smallerThanNode } = job
  const plain = { id, size, estimate }
  const hasLabels = name !== undefined || user !== undefined || account !== undefined || queue !== undefined
  const hasWants = bandwidth !== undefined || communication !== undefined || smallerThanNode === true
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
    ...(smallerThanNode === true && { smallerThanNode }),
  }
}

/** Returns the optional fields of a job in its submit record: labels, bandwidth, communication, `smallerThanNode`. */
export function labelsOf({
  name,
  user,
  account,
  queue,
  bandwidth,
  communication,
  smaller_than_node: smallerThanNode,
}: Submit): Pick<Job, 'name' | 'user' | 'account' | 'queue' | 'bandwidth' | 'communication' | 'smallerThanNode'> {
  return {
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
    ...(bandwidth !== undefined && { bandwidth }),
    ...(communication !== undefined && { communication }),
    ...(smallerThanNode === true && { smallerThanNode }),
  }
}
