import type { Totals } from '@cloister/eventlog'
import type { Placement, Refusal, Request, Resources, StateView } from '@cloister/placement'
import type { Job, Workload } from '@cloister/workload'
import type { SchedulingRules } from './scheduling-rules.ts'
import type { SchedulerSetup, TimeOn } from './setup.ts'

/** All inputs of a simulation: cluster, policy, jobs and queue discipline. */
export interface Simulation<Index = unknown> extends SchedulerSetup<Index> {
  readonly workload: Workload
  /**
   * Function that returns a job's run time on a placement; called at each start and, with exact estimates, also before.
   * The header should name the model in the option `runTimes`. Default: run times do not depend on placements.
   */
  readonly runTimes?: RunTimes
  /**
   * Model of the slowdown of running jobs by each other; estimates ignore the slowdown. Each change of a rate is
   * recorded. The header should require `progress` and name the model in the option `runTimes`. Default: no slowdown.
   */
  readonly contention?: Contention
  /** Treatment of a job at the end of its estimate: the job runs on to its real end, or is killed. */
  readonly overrun: SchedulingRules['overrun']
  /** Outages in order of time. A job on a failed node is killed; a job with only failed links keeps running. */
  readonly outages?: ReadonlyArray<Outage>
  /** Cancellations in order of time; at one instant, in submit order of the jobs. */
  readonly cancellations?: ReadonlyArray<Cancellation>
  /** Receives the number of ended jobs and of all jobs, once after every 1024 ended jobs. */
  readonly onProgress?: (ended: number, jobs: number) => void
}

/** Failure or repair of nodes and links. `time` is in integer milliseconds. */
export interface Outage {
  readonly time: number
  readonly change: 'down' | 'up'
  /** Nodes and links that go down or come up. A link is down while its cable in any rail is down. */
  readonly resources: Resources
  /** Rails of `cables`, ascending; absent if the cables of the links in every rail failed or came back. */
  readonly rails?: ArrayLike<number>
  /** Links, by level, whose cable in each of `rails` failed or came back. */
  readonly cables?: Resources['links']
}

/** Cancellation of a job by its user at `time`, in integer milliseconds; no effect unless the job waits or runs. */
export interface Cancellation {
  readonly time: number
  /** Number of the job in the workload. */
  readonly job: number
}

/**
 * Returns the run time of a job on a placement, integer milliseconds. The result SHALL depend on the arguments only.
 *
 * @param state state in which the policy found the placement, without the job
 * @param time run time of the job without regard to a placement, integer milliseconds
 */
export type RunTimes = (state: StateView, request: Request, placement: Placement, time: number) => number

/** Run times and estimates of jobs. */
export interface Durations {
  /** Returns the estimate of a job on a placement; undefined if estimates do not depend on the placement. */
  readonly estimateOn: TimeOn | undefined
  /** Returns the run time and the estimate, in ms, of a job that starts; no estimate if `estimateOn` is undefined. */
  ofStart(...of: Parameters<TimeOn>): { readonly runTime: number; readonly estimate: number | undefined }
}

/** Exact estimates are run times on the placement. A user's estimate never depends on the placement. */
export function durationsOf<Index>({ workload: { jobs }, estimates, runTimes }: Simulation<Index>): Durations {
  const runTimeOn: TimeOn = (job, state, request, placement) =>
    runTimes === undefined ? jobs.at(job)!.runTime : runTimes(state, request, placement, jobs.at(job)!.runTime)
  const estimatesVary = runTimes !== undefined && estimates === 'exact'
  return {
    estimateOn: estimatesVary ? runTimeOn : undefined,
    ofStart(...of) {
      const runTime = runTimeOn(...of)
      return { runTime, estimate: estimatesVary ? runTime : undefined }
    },
  }
}

/**
 * Model of the slowdown of running jobs by each other. The returned rates SHALL depend only on the running jobs and
 * their start order. The rate of a job is 1000 until a `RateChange`.
 */
export interface Contention {
  /** Adds a job that starts. @returns the changed rates, in start order of their jobs */
  start(job: number, of: Pick<Job, 'id' | 'communication'>, placement: Placement): ReadonlyArray<RateChange>
  /** Removes a job that ends. @returns the changed rates, in start order of their jobs */
  end(job: number): ReadonlyArray<RateChange>
}

/** New rate of a running job: an integer from 1 to 1000, in 1/1000 of the rate at which the job runs alone. */
export interface RateChange {
  /** Number of the job in the workload. */
  readonly job: number
  readonly rate: number
}

/** Result of `simulate`. */
export interface Summary {
  /** Counts of jobs, as in the last record of the log. */
  readonly totals: Totals
  /** Number of refusals after a bounded search (`search-bound`): a placement may exist all the same. */
  readonly searchBounds: number
  readonly notPlaced: NotPlacedJobs
}

/** Jobs that neither ran nor were cancelled, by their numbers in the workload. */
export interface NotPlacedJobs {
  /** Jobs that the policy refuses on the empty machine, each with the code of the refusal. */
  readonly rejected: ReadonlyArray<{ readonly job: number; readonly code: Refusal['code'] }>
  /** Jobs that still wait after the last event of the run. */
  readonly waiting: ReadonlyArray<number>
}
