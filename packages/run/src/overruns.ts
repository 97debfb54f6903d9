import type { Job, Workload } from '@cloister/workload'

/**
 * What becomes of a job that takes longer than its user's estimate. kill: it is killed then, as production does. run-on: it runs to
 * its end, which the scheduler did not expect. clamp: its run time is cut before the run starts, so that it finishes then. extend: its
 * estimate is raised to its run time before the run starts.
 */
export type OverrunChoice = 'kill' | 'run-on' | 'clamp' | 'extend'

/** The jobs of a workload that outlive their users' estimates, and the node-time beside that of all jobs; whole seconds. */
export interface Overruns {
  readonly by: OverrunChoice
  readonly jobs: number
  /** Beyond the estimates. */
  readonly node_seconds: number
  readonly of_node_seconds: number
  /** Beyond its estimate, of the job that runs on longest; where jobs run on. */
  readonly longest_seconds?: number
}

/** How many jobs outlive their estimates by themselves, and for how long. */
export function countOverruns({ jobs }: Workload, by: OverrunChoice): Overruns {
  const beyond = ({ size, runTime, walltime = runTime }: Job): number => size * Math.max(0, runTime - walltime)
  const longest = jobs.reduce((most, { runTime, walltime = runTime }) => Math.max(most, runTime - walltime), 0)
  return {
    by,
    jobs: jobs.filter((job) => beyond(job) > 0).length,
    node_seconds: wholeSeconds(jobs.map(beyond)),
    of_node_seconds: wholeSeconds(jobs.map(({ size, runTime }) => size * runTime)),
    ...(by === 'run-on' && { longest_seconds: wholeSeconds([longest]) }),
  }
}

/** A hundredth of all node-time can decide which policy looks best. */
const DECIDING_SHARE = 0.01

/** The node-time beyond estimates as a share of that of all jobs, from 0 on; 0 where there is none. */
export function shareOfNodeTime({ node_seconds: beyond, of_node_seconds: all }: Omit<Overruns, 'by'>): number {
  return all === 0 ? 0 : beyond / all
}

/** Whether jobs outlive their estimates for so long that what becomes of them decides a comparison of policies. */
export function decidesResults(overruns: Omit<Overruns, 'by'>, nodes: number): boolean {
  return shareOfNodeTime(overruns) >= DECIDING_SHARE || holdsUpOthers(overruns, nodes)
}

/**
 * Whether a single job that runs on can hold up the whole machine for long. Its end seems near all the time, so that nothing may
 * pass the head of the queue that waits for its nodes.
 */
export function holdsUpOthers(
  { longest_seconds: longest = 0, of_node_seconds: all }: Omit<Overruns, 'by'>,
  nodes: number,
): boolean {
  return longest > 0 && longest * nodes >= DECIDING_SHARE * all
}

/** The jobs as they run: cut, or with their estimates raised, where that is wanted. */
export function withOverruns(workload: Workload, choice: OverrunChoice): Workload {
  if (choice === 'kill' || choice === 'run-on') return workload
  const jobs = workload.jobs.map((job) => {
    if (job.walltime === undefined || job.runTime <= job.walltime) return job
    return choice === 'clamp' ? { ...job, runTime: job.walltime } : { ...job, walltime: job.runTime }
  })
  return { ...workload, jobs }
}

/** What a run does with jobs that still outlive their estimates: those that take longer where they were placed. */
export function overrunInRun(choice: OverrunChoice): 'kill' | 'run-on' {
  return choice === 'kill' || choice === 'clamp' ? 'kill' : 'run-on'
}

function wholeSeconds(milliseconds: ReadonlyArray<number>): number {
  return Math.round(milliseconds.reduce((sum, each) => sum + each / 1000, 0))
}
