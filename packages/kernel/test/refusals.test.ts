import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conservativeRuns, run, type RunOptions, runs } from './random-runs.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

/** What was decided, in whatever records around it. */
function decisionsOf(options: RunOptions): ReadonlyArray<unknown> {
  return run(options)
    .records.filter(({ type }) => !['header', 'refuse', 'seal'].includes(type))
    .map((record) => ({ ...record, seq: 0, cause: 0, for: 0, backfill: 0, note: '' }))
}

describe('why a job was refused', () => {
  it('changes no decision when it is recorded', () => {
    fc.assert(
      fc.property(anyRuns, (options) => {
        expect(decisionsOf({ ...options, refusals: true })).toEqual(decisionsOf({ ...options, refusals: false }))
      }),
      { numRuns: 150 },
    )
  })
})
