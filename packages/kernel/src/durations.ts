import type { Placement, Request, StateView } from '@cloister/placement'
import type { RecordedInputs } from './recorded-inputs.ts'
import { estimateOf, type Simulation } from './simulation.ts'

/**
 * The time that a job takes on a placement, integer milliseconds. SHALL be a function of its arguments alone.
 *
 * @param state in which the placement was found, without the job
 * @param time what the job takes by itself, integer milliseconds
 */
export type RunTimes = (state: StateView, request: Request, placement: Placement, time: number) => number

/** How long jobs take and are expected to, by number, on what they are about to be given in a state. */
export interface Durations {
  /** Whether estimates depend on the placement. */
  readonly estimatesVary: boolean
  estimateOn(job: number, state: StateView, request: Request, placement: Placement): number
  /** Asked once for each start. */
  runTimeOn(job: number, state: StateView, request: Request, placement: Placement): number
}

/** A user's estimate is the same everywhere; an exact one follows the run time. */
export function durationsOf<Index>({ workload: { jobs }, walltime, runTimes }: Simulation<Index>): Durations {
  const runTimeOn: Durations['runTimeOn'] = (job, state, request, placement) =>
    (runTimes === undefined ? jobs[job].runTime : runTimes(state, request, placement, jobs[job].runTime))
  const estimatesVary = runTimes !== undefined && walltime === 'exact'
  return { estimatesVary, runTimeOn, estimateOn: estimatesVary ? runTimeOn : (job) => estimateOf(jobs[job], walltime) }
}

/** Those of a log: what is recorded there is what jobs took where they ran. The estimate by itself is in the submit record. */
export function recordedDurations({ header, jobs, starts }: RecordedInputs, runTimes: RunTimes | undefined): Durations {
  const seen = new Int32Array(jobs.length)
  const estimate = (job: number): number => jobs[job].walltime ?? Infinity
  const estimatesVary = runTimes !== undefined && header.walltime === 'exact'
  return {
    estimatesVary,
    estimateOn: estimatesVary ? (job, state, request, placement) => runTimes(state, request, placement, estimate(job)) : estimate,
    // A start before the last one ended otherwise than by itself.
    runTimeOn: (job) => (++seen[job] < starts[job] ? Infinity : jobs[job].runTime),
  }
}
