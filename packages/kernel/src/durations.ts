import type { Placement, Request, StateView } from '@cloister/placement'
import type { Simulation } from './simulation.ts'

/** A time of a job, by number, on what it is about to be given in a state; integer milliseconds. */
type TimeOn = (job: number, state: StateView, request: Request, placement: Placement) => number

/** How long jobs take and are expected to. */
export interface Durations {
  /** The estimate on a placement; undefined where it is that of the job by itself on each. */
  readonly estimateOn: TimeOn | undefined
  /** Of a job that starts: asked once for each start. `estimate` is undefined where `estimateOn` is. */
  ofStart(...of: Parameters<TimeOn>): { readonly runTime: number; readonly estimate: number | undefined }
}

/** A user's estimate is the same everywhere; an exact one follows the run time. */
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
