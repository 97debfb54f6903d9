import type { RecordedEvent, Submit } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/**
 * Returns a job as its submit record holds it: with `estimate`, in milliseconds, and with its walltime if the two
 * differ.
 */
export function submittedJob(job: Job, estimate: number): Omit<RecordedEvent<'submit'>, 'type' | 't'> {
  const { id, size, walltime, name, user, account, queue, bandwidth, communication, smallerThanNode } = job
  return {
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
