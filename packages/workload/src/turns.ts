import { columnOf, type Jobs } from './jobs.ts'
import type { Job } from './job.ts'

/**
 * Returns the jobs with their turns, for a queue order that claims `recorded`. The turn of a job is its place in the
 * order of the recorded starts, from 1; equal starts are in submit order. A job is eligible from the time at which all
 * jobs of earlier turns are submitted. A job without a recorded start counts as if it had started at its submission.
 *
 * @param jobs jobs in submit order
 */
export function withTurns(jobs: Jobs): ReadonlyArray<Job> {
  const starts = columnOf(jobs, ({ submit, recordedStart = submit }) => recordedStart)
  const inOrder = Uint32Array.from(starts.keys()).sort((a, b) => starts[a] - starts[b] || a - b)
  const made = [...jobs]
  let eligible = 0
  inOrder.forEach((number, before) => {
    const job = made[number]
    eligible = Math.max(eligible, job.submit)
    made[number] = { ...job, turn: before + 1, ...(eligible > job.submit && { eligible }) }
  })
  return made
}
