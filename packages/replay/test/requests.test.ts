/** Tests the fields of the requests to a policy. */
import { type Header, LogState } from '@cloister/eventlog'
import { conservativeRuns, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type PlacementPolicy, type Request } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerun, whyWaiting } from '../src/index.ts'

/** Returns a policy that calls `show` with each request before the answer. */
function shown<Config, Index>(
  policy: PlacementPolicy<Config, Index>,
  show: (request: Request) => void,
): PlacementPolicy<Config, Index> {
  return {
    ...policy,
    make(topology, config) {
      const made = policy.make(topology, config)
      if ('unsupported' in made) return made
      return {
        claims: made.claims,
        ...(made.linkCapacity === undefined ? {} : { linkCapacity: made.linkCapacity }),
        ...(made.index === undefined ? {} : { index: made.index }),
        ...(made.requestKey === undefined ? {} : { requestKey: (request) => made.requestKey!(request) }),
        place(state, request, index) {
          show(request)
          return made.place(state, request, index)
        },
      }
    },
  }
}

describe("a request to a policy has the time of the job's first submission", () => {
  const check = (options: RunOptions): void => {
    const submits = new Map(options.jobs.map(({ id, submit }) => [id, submit]))
    let asked = 0
    const policy = shown(options.policy, ({ job, submitted, now }) => {
      asked++
      expect(submitted).toBe(submits.get(job))
      expect(submitted).toBeLessThanOrEqual(now)
    })
    const { records } = run({ ...options, policy })
    const placer = bindPolicy(policy, parseTopology(options.topology), options.config).placer
    const { runTimes } = options
    rerun({ records: () => records, placer, policyName: policy.name, ...(runTimes && { runTimes }) })
    const state = new LogState(records[0] as Header)
    for (const record of records.slice(1)) {
      state.apply(record)
      if (record.type === 'requeue') whyWaiting(state, placer, 5, runTimes)
    }
    expect(asked).toBeGreaterThan(0)
  }
  const requeueing = (options: RunOptions): RunOptions => ({ ...options, requeue: true })

  it('gives policies the time of the first submission of requeued jobs in simulate, rerun and whyWaiting', () => {
    fc.assert(fc.property(runs.map(requeueing), check), { numRuns: 100 })
  })
  it('gives policies the time of the first submission of requeued jobs under conservative backfilling', () => {
    fc.assert(fc.property(conservativeRuns.map(requeueing), check), { numRuns: 50 })
  })
})
