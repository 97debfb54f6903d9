import { countingRecorder, type Recorder } from '@cloister/eventlog'
import { execute, type Watching } from './execute.ts'
import type { Run } from './prepare.ts'

/** Waits and run times of a simulated run, for each job of its workload. Times are seconds; NaN: the job never started. */
export interface SimulatedJobs {
  /** Time from the submission to the first start. */
  readonly waits: Float64Array
  /** Time from the last start to the end. */
  readonly runTimes: Float64Array
}

/**
 * Simulates a run without a log.
 *
 * @throws PolicyFailedError if the policy fails
 */
export function simulatedJobs(run: Run, watching: Watching = {}): SimulatedJobs {
  const { jobs } = run.workload
  const numbers = new Map(Array.from(jobs, ({ id }, number) => [id, number]))
  const waits = new Float64Array(jobs.length).fill(Number.NaN)
  const started = new Float64Array(jobs.length)
  const runTimes = new Float64Array(jobs.length).fill(Number.NaN)
  const counting = countingRecorder()
  const recorder: Recorder = {
    record(event) {
      if (event.type === 'allocate') {
        const number = numbers.get(event.job)!
        started[number] = event.t
        if (Number.isNaN(waits[number])) waits[number] = (event.t - jobs.at(number)!.submit) / 1000
      } else if (event.type === 'release') {
        const number = numbers.get(event.job)!
        runTimes[number] = (event.t - started[number]) / 1000
      }
      return counting.record(event)
    },
  }
  execute(run, recorder, watching)
  return { waits, runTimes }
}
