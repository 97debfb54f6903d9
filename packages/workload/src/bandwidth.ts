import type { Job } from './workload.ts'
import { drawOneOf } from './draw.ts'

/** Bandwidths in MB/s on every link, one a class: 0.5 to 2.0 GB/s (Jigsaw paper, 5.4.2). */
export const bandwidthClasses: ReadonlyArray<number> = [500, 1000, 1500, 2000]

/**
 * Gives every job one of the four bandwidth classes, drawn from seed and job id. The draw replaces a bandwidth that a
 * job has.
 */
export function drawBandwidth(jobs: ReadonlyArray<Job>, seed: number): ReadonlyArray<Job> {
  return jobs.map((job) => ({ ...job, bandwidth: drawOneOf(bandwidthClasses, seed, 'bandwidth', job.id) }))
}
