import type { Job } from '@cloister/workload'
import type { QueueOrder, Simulation } from './simulation.ts'

/** Returns the estimate of a job: its run time or its walltime, integer milliseconds. */
export function estimateOf(job: Job, estimates: Simulation['estimates']): number {
  return estimates === 'exact' ? job.runTime : (job.walltime ?? job.runTime)
}

/** Returns the numbers of all jobs in queue order. */
export function queueOrder(
  jobs: ReadonlyArray<Job>,
  order: QueueOrder,
  estimates: Simulation['estimates'],
): Int32Array {
  const numbers = Int32Array.from(jobs, (_, job) => job)
  if (order === 'submit') return numbers
  const key = Float64Array.from(jobs, (job) => (order === 'size' ? job.size : estimateOf(job, estimates)))
  return numbers.sort((a, b) => key[a] - key[b] || a - b)
}
