import type { Durations, RunTimes } from '@cloister/kernel'
import type { RecordedInputs } from './recorded-inputs.ts'

/** Returns the run times of a log's jobs, and, if estimates depend on placements, the jobs' estimates. */
export function recordedDurations({ header, jobs, starts }: RecordedInputs, runTimes: RunTimes | undefined): Durations {
  const seen = new Int32Array(jobs.length)
  const estimateOn: Durations['estimateOn'] =
    runTimes === undefined || header.options.estimates !== 'exact'
      ? undefined
      : (job, state, request, placement) => runTimes(state, request, placement, jobs[job].walltime ?? Infinity)
  return {
    estimateOn,
    ofStart: (...of) => {
      const [job] = of
      // Only the last start of a job can lead to a finish.
      return { runTime: ++seen[job] < starts[job] ? Infinity : jobs[job].runTime, estimate: estimateOn?.(...of) }
    },
  }
}
