import type { Job } from './workload.ts'
import { draw } from './draw.ts'

/** Which jobs communicate, and how. Shares in 1/1000. */
export interface CommunicationClasses {
  /** Of the jobs. */
  readonly jobs: number
  readonly pattern: string
  /** Of the run time of those that do. */
  readonly share: number
}

/** Makes some jobs communicate, drawn from seed and job id (Mishra et al., section 5.1). What jobs say of their communication is replaced. */
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
