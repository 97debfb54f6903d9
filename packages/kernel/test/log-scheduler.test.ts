import { type Header, type LogRecord, LogState, resourcesOf } from '@cloister/eventlog'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AskedPolicy, jobOfRecord, loggedOrder, LogScheduler, triedJobs, type Verdict } from '../src/index.ts'
import { conservativeRuns, jobsOf, run, type RunOptions, runs } from './random-runs.ts'

const asked = (header: Header, { policy, topology: spec, config, runTimes }: RunOptions): AskedPolicy<any> => {
  const topology = parseTopology(spec)
  return { placer: bindPolicy(policy, topology, config).placer, order: loggedOrder(header, topology), runTimes }
}

test('the verdict of LogScheduler about a job does not depend on earlier questions about other jobs', () => {
  fc.assert(
    fc.property(fc.oneof(runs, conservativeRuns), fc.nat(), (options, at) => {
      const { records } = run(options)
      const state = new LogState(records[0] as Header)
      for (const record of records.slice(1, 1 + (at % records.length))) state.apply(record)
      const scheduler = (): LogScheduler<any> => LogScheduler.of(state, asked(records[0] as Header, options))
      const one = scheduler()
      for (const job of [...one.waiting()].slice(0, triedJobs(options.queue)))
        expect(one.judge(job)).toEqual(scheduler().judge(job))
    }),
    { numRuns: 200 },
  )
})

test('LogScheduler starts each job of a log at the time and on the placement of the log, by the policy of the log', () => {
  let reserved = 0
  fc.assert(
    fc.property(fc.oneof(runs, conservativeRuns), (options) => {
      const { records } = run(options)
      const jobs = records.flatMap((record) => (record.type === 'submit' ? [jobOfRecord(record)] : []))
      const scheduler = new LogScheduler(records[0] as Header, jobs, asked(records[0] as Header, options))
      const planned = new Set<string>()
      let t = 0
      for (const record of records) {
        if (record.type === 'header') continue
        if (record.t > t) scheduler.endPass()
        t = record.t
        if (record.type === 'reserve') planned.add(record.job)
        if (record.type === 'allocate') {
          if (planned.has(record.job)) reserved++
          scheduler.moveTo(t)
          const verdict = scheduler.judge(record.job)
          const { nodes, links } = resourcesOf(record)
          expect(verdict).toMatchObject({ starts: true })
          const { placement } = verdict as Extract<Verdict, { readonly starts: true }>
          expect(Array.from(placement.nodes)).toEqual([...nodes])
          expect(placement.bandwidth).toBe(record.bandwidth)
          expect(placement.links.filter(({ length }) => length > 0).map((ids) => Array.from(ids))).toEqual(
            links.filter(({ length }) => length > 0).map((ids) => Array.from(ids)),
          )
        }
        scheduler.apply(record)
      }
    }),
    { numRuns: 150 },
  )
  expect(reserved).toBeGreaterThan(50)
})

test('LogScheduler throws a FoldError for a log that starts a job on the nodes of a running job', () => {
  const options: RunOptions = {
    topology: 'radix:4',
    policy: baseline,
    config: {},
    jobs: jobsOf([0, 4, 9000], [1000, 4, 9000]),
    queue: { backfill: 'none' },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
  }
  const { records } = run(options)
  const jobs = records.flatMap((record) => (record.type === 'submit' ? [jobOfRecord(record)] : []))
  const scheduler = new LogScheduler(records[0] as Header, jobs, asked(records[0] as Header, options))
  const forged = records.map((record): LogRecord => (record.type === 'allocate' ? { ...record, nodes: '0-3' } : record))
  const isSecond = ({ type, seq }: LogRecord): boolean =>
    type === 'allocate' && seq > records.find((record) => record.type === 'allocate')!.seq
  for (const record of forged.slice(0, forged.findIndex(isSecond))) scheduler.apply(record)
  expect(() => scheduler.apply(forged.find(isSecond)!)).toThrow(/nodes or links are not free/)
})
