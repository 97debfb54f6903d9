import type { RecordedEvent, Submit } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/**
 * Returns the submit event of a job, with `estimate`, in milliseconds, and with the job's walltime if the two differ.
 */
export function submittedJob(job: Job, estimate: number, t: number): RecordedEvent<'submit'> {
  const { id, size, walltime, name, user, account, queue, bandwidth, communication, smallerThanNode } = job
  return {
    type: 'submit',
    t,
    job: id,
    size,
    estimate,
    walltime: walltime === estimate ? undefined : walltime,
    name,
    user,
    account,
    queue,
    bandwidth,
    // The header holds the checksum of the communication matrix.
    communication: communication && { pattern: communication.pattern, share: communication.share },
    smaller_than_node: smallerThanNode === true ? true : undefined,
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
