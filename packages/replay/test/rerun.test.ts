import { type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { conservativeRuns, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerun, type RerunResult } from '../src/index.ts'

function repeat(
  { policy, config, topology, runTimes }: Pick<RunOptions, 'policy' | 'config' | 'topology' | 'runTimes'>,
  records: ReadonlyArray<LogRecord>,
): RerunResult {
  const { placer } = bindPolicy(policy, parseTopology(topology), config)
  return rerun({ records: () => records, placer, policyName: policy.name, hash: sha256, ...(runTimes && { runTimes }) })
}

describe('a run repeated on its recorded inputs', () => {
  it('is equal to the last byte, whatever the policy, the queue, outages and cancellations', () => {
    fc.assert(
      fc.property(fc.oneof(runs, conservativeRuns), (options) => {
        const { records } = run(options)
        expect(repeat(options, records)).toMatchObject({
          compared: records.length,
          difference: undefined,
          refusals: [],
        })
      }),
      { numRuns: 300 },
    )
  })

  it('is equal as far as the log goes, wherever it was cut off', () => {
    fc.assert(
      fc.property(fc.oneof(runs, conservativeRuns), fc.nat(), (options, at) => {
        const { text } = run(options)
        const cut = text.slice(0, text.indexOf('\n', at % text.length) + 1)
        const records = [...readLog([Buffer.from(cut, 'latin1')], sha256)]
        expect(repeat(options, records)).toMatchObject({
          compared: records.length,
          difference: undefined,
          refusals: [],
        })
      }),
      { numRuns: 100 },
    )
  })

  it('tells the first decision that is not the recorded one, and what the policy says there', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (options, at) => {
        const { records } = run(options)
        const allocates = records.filter(({ type, seq }) => type === 'allocate' && seq > 0)
        fc.pre(allocates.length > 0)
        const edited = allocates[at % allocates.length]
        const changed = records.map((record) =>
          record === edited ? { ...record, nodes: '0-999' } : record,
        ) as ReadonlyArray<LogRecord>
        const { difference } = repeat(options, changed)
        expect(difference?.seq).toBe(edited.seq)
        expect(difference?.repeated).toEqual(edited)
        expect(difference?.before.seq).toBe(edited.seq - 1)
        expect(difference?.answers.map(({ job }) => job)).toEqual(['job' in edited ? edited.job : ''])
      }),
      { numRuns: 100 },
    )
  })
})
