import type { Placement, Request, StateView } from '@cloister/placement'
import type { Simulation } from './simulation.ts'

/** Run time or estimate, in integer milliseconds, of a job (by number) on a placement that was found in `state`. */
type TimeOn = (job: number, state: StateView, request: Request, placement: Placement) => number

/** Run times and estimates of jobs. */
export interface Durations {
  /** Undefined if estimates do not depend on the placement. */
  readonly estimateOn: TimeOn | undefined
  /** Returns the durations of a job that starts. `estimate` is undefined if `estimateOn` is. */
  ofStart(...of: Parameters<TimeOn>): { readonly runTime: number; readonly estimate: number | undefined }
}

/** Exact estimates follow the run time on the placement; a user's estimate never varies. */
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
