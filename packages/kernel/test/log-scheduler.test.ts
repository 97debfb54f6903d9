import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import { bindPolicy, type Placer } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { jobOfRecord, LogScheduler, triedJobs } from '../src/index.ts'
import { conservativeRuns, jobsOf, run, type RunOptions, runs } from './random-runs.ts'

const placerOf = ({ policy, topology, config }: RunOptions): Placer<any> =>
  bindPolicy(policy, parseTopology(topology), config).placer

test('the verdict of LogScheduler about a job does not depend on earlier questions about other jobs', () => {
  fc.assert(
    fc.property(fc.oneof(runs, conservativeRuns), fc.nat(), (options, at) => {
      const { records } = run(options)
      const state = new LogState(records[0] as Header)
      for (const record of records.slice(1, 1 + (at % records.length))) state.apply(record)
      const scheduler = (): LogScheduler<any> =>
        LogScheduler.of(state, { placer: placerOf(options), runTimes: options.runTimes })
      const asked = scheduler()
      for (const job of [...asked.waiting()].slice(0, triedJobs(options.queue)))
        expect(asked.judge(job)).toEqual(scheduler().judge(job))
    }),
    { numRuns: 200 },
  )
})

test('LogScheduler throws a FoldError for a log that starts a job on the nodes of a running job', () => {
  const options: RunOptions = {
    topology: 'radix:4',
    policy: baseline,
    config: {},
    jobs: jobsOf([0, 4, 9000], [1000, 4, 9000]),
    queue: { order: 'submit', backfill: 'none' },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
  }
  const { records } = run(options)
  const jobs = records.flatMap((record) => (record.type === 'submit' ? [jobOfRecord(record)] : []))
  const scheduler = new LogScheduler(records[0] as Header, jobs, { placer: placerOf(options) })
  const forged = records.map((record): LogRecord => (record.type === 'allocate' ? { ...record, nodes: '0-3' } : record))
  const isSecond = ({ type, seq }: LogRecord): boolean =>
    type === 'allocate' && seq > records.find((record) => record.type === 'allocate')!.seq
  for (const record of forged.slice(0, forged.findIndex(isSecond))) scheduler.apply(record)
  expect(() => scheduler.apply(forged.find(isSecond)!)).toThrow(/nodes or links are not free/)
})
