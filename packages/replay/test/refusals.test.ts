import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import { conservativeRuns, run, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type Outcome } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordedMachine } from '../src/recorded-machine.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

describe('why a job was refused', () => {
  it('is a reservation where the job would fit in all that is free, else what the policy says of that', () => {
    const told = { reservation: 0, policy: 0 }
    fc.assert(
      fc.property(anyRuns, (options) => {
        const { records } = run({ ...options, refusals: true })
        const state = new LogState(records[0] as Header)
        const machine = new RecordedMachine(
          records[0] as Header,
          bindPolicy(options.policy, parseTopology(options.topology), options.config).placer,
          options.runTimes,
        )
        for (const record of records.slice(1)) {
          if (record.type === 'refuse') told[checked(record, state, machine)]++
          machine.apply(record)
          state.apply(record)
        }
      }),
      { numRuns: 150 },
    )
    expect(told.reservation).toBeGreaterThan(0)
    expect(told.policy).toBeGreaterThan(0)
  })
})
function checked(
  refuse: LogRecord & { readonly type: 'refuse' },
  state: LogState,
  machine: RecordedMachine<any>,
): 'reservation' | 'policy' {
  machine.moveTo(refuse.t)
  const bare = machine.ask(refuse.job, 'start')
  const [, promised] = /^reservation of job (.*)$/.exec(refuse.constraint) ?? []
  if (promised === undefined) {
    expect(constraintOf(bare)).toBe(refuse.constraint)
    return 'policy'
  }
  if (!bare.ok) throw new Error('refused without a reservation')
  expect(refuse.nearest).toEqual({
    start: state.reservations.get(promised)?.start,
    end: machine.estimatedEndOn(refuse.job, bare) / 1000,
  })
  return 'reservation'
}

function constraintOf(outcome: Outcome): string {
  if (outcome.ok) return 'none'
  if (outcome.code === 'too-few-nodes') return 'free nodes'
  return outcome.code === 'search-bound' ? `${outcome.steps} steps` : outcome.constraint
}
