import type { Placement, Request, StateView } from '@cloister/placement'
import type { Simulation } from './simulation.ts'

/** Run time or estimate, in integer milliseconds, of a job (by number) on a placement that was found in `state`. */
type TimeOn = (job: number, state: StateView, request: Request, placement: Placement) => number

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
    runTimes === undefined ? jobs[job].runTime : runTimes(state, request, placement, jobs[job].runTime)
  const estimatesVary = runTimes !== undefined && estimates === 'exact'
  return {
    estimateOn: estimatesVary ? runTimeOn : undefined,
    ofStart(...of) {
      const runTime = runTimeOn(...of)
      return { runTime, estimate: estimatesVary ? runTime : undefined }
    },
  }
}
