import type { Durations, RunTimes } from '@cloister/kernel'
import type { RecordedInputs } from './recorded-inputs.ts'

/** How long the jobs of a log took where they ran, and were expected to take. The estimate of a job by itself is in its submit record. */
export function recordedDurations({ header, jobs, starts }: RecordedInputs, runTimes: RunTimes | undefined): Durations {
  const seen = new Int32Array(jobs.length)
  const estimateOn: Durations['estimateOn'] =
    runTimes === undefined || header.estimates !== 'exact'
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
