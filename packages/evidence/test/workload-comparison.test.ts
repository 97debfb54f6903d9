import { encodeRecord, type Header, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { greedy } from '@cloister/policy-greedy'
import { slurmTree } from '@cloister/policy-slurm-tree'
import { prepare, record } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { describe, expect, test } from 'vitest'
import { endsLeftOpen, jobsMadeOtherwise } from '../src/workload-comparison.ts'

/** Simulates synthetic jobs, and returns the comparison of a changed log with these jobs. */
async function comparison(options: object) {
  const given = { trace: 'synth:4:40', topology: 'radix:4', policy: 'greedy', ...options }
  const run = await Effect.runPromise(
    prepare(given).pipe(Effect.provide(nodeServices({ policies: [greedy, slurmTree] }))),
  )
  const log: Array<Uint8Array> = []
  record(run, (chunk) => log.push(chunk))
  const [header, ...records] = [...readLog(log, sha256)] as unknown as readonly [Header, ...ReadonlyArray<LogRecord>]
  const found = (changed: ReadonlyArray<LogRecord>, of: Header = header) =>
    jobsMadeOtherwise(of, changed, run.workload, sha256)
  return { header, records, found, workload: run.workload }
}

const CONTENTION = {
  communication: '90%:recursive-doubling:50%',
  runTimes: 'contention',
  estimates: 'requested',
  overrun: 'run-on',
}

describe('jobsMadeOtherwise', () => {
  test.each([{}, { estimates: 'requested' }, CONTENTION])(
    'finds no difference in the log of a run: %j',
    async (options) => {
      const { records, found } = await comparison(options)
      expect(found(records)).toEqual([])
    },
  )

  test.each(['size', 'estimate', 't', 'user'])('finds a submit record with another %s', async (field) => {
    const { records, found } = await comparison({})
    const at = records.findIndex(({ type }) => type === 'submit')
    const changed = { ...records[at], [field]: field === 'user' ? 'eve' : 9 } as LogRecord
    const differences = found(records.with(at, changed))
    expect(differences).toMatchObject([
      { seq: records[at].seq, message: expect.stringContaining(encodeRecord(records[at])) },
    ])
  })

  test.each([{}, CONTENTION])(
    'finds a finish that the run time of the workload does not explain: %j',
    async (options) => {
      const { records, found } = await comparison(options)
      const at = records.findLastIndex(({ type }) => type === 'finish')
      const { seq, t } = records[at] as { readonly seq: number; readonly t: number }
      const differences = found(records.with(at, { ...records[at], t: t + 1 } as LogRecord))
      expect(differences).toMatchObject([{ seq, message: expect.stringMatching(/^by the run time in the workload/) }])
    },
  )

  test.each([{}, { estimates: 'requested', overrun: 'run-on' }])(
    'finds overruns in the header that the jobs do not have: %j',
    async (options) => {
      const { header, records, found } = await comparison(options)
      const overruns = { jobs: 7, node_seconds: 1, of_node_seconds: 40 }
      expect(found(records, { ...header, overruns }).map(({ message }) => message)).toEqual([
        expect.stringMatching(/^the jobs of synth:4:40 have the overruns .* the header has the overruns \{"jobs":7,/),
      ])
    },
  )

  test('finds other checksums in the header', async () => {
    const { header, records, found } = await comparison({})
    const workload = { ...header.workload, sha256: '0'.repeat(64), submits_sha256: '1'.repeat(64) }
    expect(found(records, { ...header, workload }).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the jobs of synth:4:40 have the checksum/),
      expect.stringMatching(/^the submit records of synth:4:40 have the checksum/),
    ])
  })
})

test.each([
  ['requested', true],
  ['exact', false],
])('endsLeftOpen names run times by communication under %s estimates as open: %s', async (estimates, isOpen) => {
  const options = { communication: '90%:recursive-doubling:50%', runTimes: 'communication', estimates }
  const { header, workload } = await comparison(options)
  expect(endsLeftOpen(header, workload) !== undefined).toBe(isOpen)
})
