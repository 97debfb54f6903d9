import type { Job } from './workload.ts'
import { draw } from './draw.ts'

/** Parameters of `drawCommunication`: share of the communicating jobs, and the communication of each of these jobs. */
export interface CommunicationClasses {
  /** Probability that a job communicates, in 1/1000. The draws of different jobs are independent. */
  readonly jobs: number
  readonly pattern: string
  /** Share of communication in the run time of a communicating job, in 1/1000. */
  readonly share: number
}

/**
 * Makes some jobs communicate, drawn from seed and job id (Mishra et al. 2020, section 5.1). The drawn jobs get the
 * communication of `classes`; all other jobs lose any communication.
 */
export function drawCommunication(
  jobs: ReadonlyArray<Job>,
  { jobs: permille, pattern, share }: CommunicationClasses,
  seed: number,
): ReadonlyArray<Job> {
  return jobs.map(({ communication: _own, ...job }) =>
    draw(seed, 'communication', job.id) * 1000 < permille * 0x1_0000_0000
      ? { ...job, communication: { pattern, share } }
      : job,
  )
}
