import type { Job } from './workload.ts'
import { drawOneOf } from './draw.ts'

/** Bandwidth of each of the four classes of jobs of the Jigsaw paper (5.4.2), in MB/s on every link. */
export const bandwidthClasses: ReadonlyArray<number> = [500, 1000, 1500, 2000]

/** Gives every job one of the four bandwidth classes, drawn from seed and job id, instead of its former bandwidth. */
export function drawBandwidth(jobs: ReadonlyArray<Job>, seed: number): ReadonlyArray<Job> {
  return jobs.map((job) => ({ ...job, bandwidth: drawOneOf(bandwidthClasses, seed, 'bandwidth', job.id) }))
}
