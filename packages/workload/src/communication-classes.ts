import type { Job } from './workload.ts'
import { draw } from './draw.ts'

/** Share of the jobs to make communicating, and their kind of communication. */
export interface CommunicationClasses {
  /** Share of the communicating jobs among all jobs, in 1/1000; each job is drawn by itself. */
  readonly jobs: number
  readonly pattern: string
  /** Share of a communicating job's run time spent communicating, in 1/1000. */
  readonly share: number
}

/**
 * Makes some jobs communicate, drawn from seed and job id (Mishra et al. 2020, section 5.1). Removes the communication
 * of all jobs that the draw leaves out.
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
