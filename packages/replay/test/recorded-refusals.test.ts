import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import { conservativeRuns, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type Outcome } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordedCluster } from '../src/recorded-cluster.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

describe('the reason in a refuse record', () => {
  it("names a reservation if the policy places the job on the free nodes, else the policy's constraint", () => {
    const reasons = { reservation: 0, policy: 0 }
    fc.assert(
      fc.property(anyRuns, (options) => {
        const { records } = run({ ...options, refusals: true })
        const state = new LogState(records[0] as Header)
        const cluster = new RecordedCluster(
          records[0] as Header,
          bindPolicy(options.policy, parseTopology(options.topology), options.config).placer,
        )
        for (const record of records.slice(1)) {
          if (record.type === 'refuse') reasons[checked(record, state, cluster, options)]++
          cluster.apply(record)
          state.apply(record)
        }
      }),
      { numRuns: 150 },
    )
    expect(reasons.reservation).toBeGreaterThan(0)
    expect(reasons.policy).toBeGreaterThan(0)
  })
})
function checked(
  refuse: LogRecord & { readonly type: 'refuse' },
  state: LogState,
  cluster: RecordedCluster<any>,
  { runTimes, estimates }: RunOptions,
): 'reservation' | 'policy' {
  cluster.moveTo(refuse.t)
  const bare = cluster.ask(refuse.job, 'start')
  const [, reserved] = /^reservation of job (.*)$/.exec(refuse.constraint) ?? []
  if (reserved === undefined) {
    expect(constraintOf(bare)).toBe(refuse.constraint)
    return 'policy'
  }
  if (!bare.ok) throw new Error('refused without a reservation')
  const request = cluster.request(refuse.job, 'start')
  const varies = estimates === 'exact' && runTimes !== undefined
  const estimate = varies ? runTimes(cluster.state, request, bare, request.estimate!) : request.estimate!
  const start = state.reservations.get(reserved)?.start
  expect(refuse.nearest).toEqual({ start, end: (cluster.now + estimate) / 1000 })
  return 'reservation'
}

function constraintOf(outcome: Outcome): string {
  if (outcome.ok) return 'none'
  if (outcome.code === 'too-few-nodes') return 'free nodes'
  return outcome.code === 'search-bound' ? `${outcome.steps} steps` : outcome.constraint
}
