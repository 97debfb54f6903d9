import type { JobState, JobTable } from './job-table.ts'

/** Number of some jobs, and their shares of all submitted jobs; in a window, of the jobs that waited or ran in it. */
export interface JobsOfAll {
  readonly jobs: number
  /** Share of the number of jobs; null if there are no jobs. */
  readonly share: number | null
  /** Share of the jobs' node-time (nodes times estimate); null if a job has no estimate, or if the node-time is 0. */
  readonly nodeTime: number | null
}

/** Jobs without a placement. No figure of waits, turnaround or utilization counts these jobs. */
export interface NotPlaced {
  /** Jobs that the policy rejected for good. */
  readonly rejected: JobsOfAll
  /** Jobs that wait at the end of the log; in a simulation these jobs wait for ever. */
  readonly waiting: JobsOfAll
}

/** Counts the jobs without a placement at the end of a log, or at the end of the log's window. */
export function notPlacedOf(jobs: JobTable): NotPlaced {
  return { rejected: inState(jobs, 'rejected'), waiting: inState(jobs, 'waiting') }
}

function inState(table: JobTable, state: JobState): JobsOfAll {
  const { size, estimate } = table.of
  let [jobs, all, nodeTime, allNodeTime] = [0, 0, 0, 0]
  for (let job = 0; job < table.length; job++) {
    if (!table.wasThere(job)) continue
    all++
    // If one estimate is unknown, the sum is unknown.
    const own = estimate[job] < 0 ? NaN : size[job] * estimate[job]
    allNodeTime += own
    if (table.stateOf(job) !== state) continue
    jobs++
    nodeTime += own
  }
  return { jobs, share: all === 0 ? null : jobs / all, nodeTime: allNodeTime > 0 ? nodeTime / allNodeTime : null }
}
