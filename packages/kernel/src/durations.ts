import type { Placement, Request, StateView } from '@cloister/placement'
import type { RecordedInputs } from './recorded-inputs.ts'
import type { Simulation } from './simulation.ts'

/**
 * The time that a job takes on a placement, integer milliseconds. SHALL be a function of its arguments alone.
 *
 * @param state in which the placement was found, without the job
 * @param time what the job takes by itself, integer milliseconds
 */
export type RunTimes = (state: StateView, request: Request, placement: Placement, time: number) => number

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
export function durationsOf<Index>({ workload: { jobs }, walltime, runTimes }: Simulation<Index>): Durations {
  const runTimeOn: TimeOn = (job, state, request, placement) =>
    runTimes === undefined ? jobs[job].runTime : runTimes(state, request, placement, jobs[job].runTime)
  const estimatesVary = runTimes !== undefined && walltime === 'exact'
  return {
    estimateOn: estimatesVary ? runTimeOn : undefined,
    ofStart(...of) {
      const runTime = runTimeOn(...of)
      return { runTime, estimate: estimatesVary ? runTime : undefined }
    },
  }
}

/** Those of a log: what is recorded there is what jobs took where they ran. The estimate by itself is in the submit record. */
export function recordedDurations({ header, jobs, starts }: RecordedInputs, runTimes: RunTimes | undefined): Durations {
  const seen = new Int32Array(jobs.length)
  const estimateOn: TimeOn | undefined =
    runTimes === undefined || header.walltime !== 'exact'
      ? undefined
      : (job, state, request, placement) => runTimes(state, request, placement, jobs[job].walltime ?? Infinity)
  return {
    estimateOn,
    ofStart: (...of) => {
      const [job] = of
      // A start before the last one ended otherwise than by itself.
      return { runTime: ++seen[job] < starts[job] ? Infinity : jobs[job].runTime, estimate: estimateOn?.(...of) }
    },
  }
}
