/** Runs of random jobs on a machine with equivalent nodes, and the same jobs for the models by counts of free nodes. */
import { baseline } from '@cloister/policy-baseline'
import type { Job } from '@cloister/workload'
import * as fc from 'fast-check'
import type { CountedJob } from './easy-by-counts.ts'
import { run, type RunOptions } from './random-runs.ts'

/** Number of nodes of `radix:4`. */
export const NODES = 16

/** Options of a run, without its jobs and its queue discipline. */
export const anyNodeWillDo: Omit<RunOptions, 'jobs' | 'queue'> = {
  topology: 'radix:4',
  policy: baseline,
  config: {},
  estimates: 'requested',
  overrun: 'kill',
  refusals: false,
}

export const job: fc.Arbitrary<Omit<Job, 'id'>> = fc.record({
  submit: fc.integer({ min: 0, max: 30 }).map((s) => s * 1000),
  size: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: NODES })),
  runTime: fc.integer({ min: 1, max: 9 }).map((s) => s * 1000),
  walltime: fc.integer({ min: 1, max: 12 }).map((s) => s * 1000),
})

/** Returns the start of each job, integer milliseconds. */
export function startsOf(given: RunOptions): ReadonlyArray<number> {
  const starts = new Map<string, number>()
  for (const record of run(given).records) if (record.type === 'allocate') starts.set(record.job, 1000 * record.t)
  return given.jobs.map(({ id }) => starts.get(id)!)
}

export function counted(jobs: ReadonlyArray<Job>, estimates: RunOptions['estimates']): ReadonlyArray<CountedJob> {
  return jobs.map(({ submit, size, runTime, walltime }) => {
    const estimate = estimates === 'exact' ? runTime : walltime!
    return { submit, size, estimate, runTime: Math.min(runTime, estimate) }
  })
}
