import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conservativeRuns, run, type RunOptions, runs } from './random-runs.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

/** Returns the decisions of a log, without the other records. */
function decisionsOf(options: RunOptions): ReadonlyArray<unknown> {
  return run(options)
    .records.filter(({ type }) => !['header', 'refuse', 'seal'].includes(type))
    .map((record) => ({ ...record, seq: 0, cause: 0, for: 0, backfill: 0, note: '' }))
}

describe('the reason of a refusal', () => {
  it('a run that records the reasons of refusals makes the same decisions as a run without these records', () => {
    fc.assert(
      fc.property(anyRuns, (options) => {
        expect(decisionsOf({ ...options, refusals: true })).toEqual(decisionsOf({ ...options, refusals: false }))
      }),
      { numRuns: 150 },
    )
  })
})
