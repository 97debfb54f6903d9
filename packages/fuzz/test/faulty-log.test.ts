import type { LogRecord } from '@cloister/eventlog'
import { expect, it } from 'vitest'
import { faultyRun } from '../src/faulty-log.ts'

it('regression: the run of a log with a fault keeps the measure of communication costs', () => {
  const claims = { links: 'shared', full_bandwidth: false, exact_size: true, monotone: true, complete: true }
  const options = { arrivals: 'zero', queue: 'fcfs', estimates: 'exact', runTimes: 'communication', cost: 'plain' }
  const records = [
    {
      seq: 0,
      type: 'header',
      topology: { name: 'radix:4', pgft: { m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] } },
      policy: { name: 'mine', version: '1.0.0', config: {}, claims },
      options,
    },
    { seq: 1, t: 0, type: 'submit', job: '1', size: 2, estimate: 50 },
    { seq: 2, t: 0, type: 'fault', job: '1', purpose: 'start', message: 'no room', cause: 1 },
  ] as unknown as ReadonlyArray<LogRecord>
  const found = faultyRun(records, { policy: './mine.mjs', topology: 'radix:4' })
  expect(found?.run.options).toMatchObject({ runTimes: 'communication', cost: 'plain' })
})
