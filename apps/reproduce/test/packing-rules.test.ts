import { decodeRecord } from '@cloister/eventlog'
import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { CapacityOverTime } from '../src/ours/capacity.ts'
import { rulesOn } from '../src/ours/packing-rules.ts'
import { makeWith } from './in-process.ts'

/** Service of job logs with a single log: the first 80 jobs of the synthetic trace `synth:16`. */
const few = {
  locate: ({ source }: { readonly source: object }) =>
    Effect.succeed(
      (source as { trace?: string }).trace === 'synth:16' ? { trace: 'synth:16:80', arrivals: 'zero' } : undefined,
    ),
  readText: () => Effect.succeed(undefined),
  write: () => Effect.succeed('jobs.txt'),
  jobs: () => Effect.succeed([]),
}

test('packing-rules runs every packing rule on each log at hand, and reports waits and free capacity', async () => {
  const { reports, specs } = await makeWith(few, '.', ['packing-rules'])
  const rules = rulesOn({ blocks: [16, 32, 64] })
  expect(specs.map(({ policy }) => (policy as { name: string }).name)).toEqual(rules.map(({ policy }) => policy))
  const [waits, capacity] = reports[0].tables
  expect([waits, capacity].map(({ title }) => title)).toEqual([
    'Synth-16 on radix:16, arrivals zero, easy:50: utilization, and hours of wait by nodes',
    'Synth-16, at 200 moments: free nodes, free nodes in whole blocks, and how often another job of a given size fits',
  ])
  expect(waits.heading.slice(0, 4)).toEqual(['', 'utilization', 'held back', 'wait'])
  expect(waits.rows.map(([name]) => name)).toEqual(rules.map(({ name }) => name))
  expect(capacity.heading).toEqual([
    '',
    'free',
    'blocks of 16',
    'blocks of 32',
    'blocks of 64',
    ...[4, 8, 16, 32, 64, 128, 256].map((size) => `a job of ${size}`),
  ])
  for (const row of [...waits.rows, ...capacity.rows]) expect(row.join()).not.toContain('NaN')
})

test('CapacityOverTime measures free nodes, free nodes in whole blocks, and job sizes that the policy would place', () => {
  // A job of 5 nodes runs until 50 s, a job of 4 nodes from 20 s on.
  const header = `{"seq":0,"type":"header","format":"cloister-log","version":3,"revision":0,"origin":"simulated","topology":{"name":"pgft:2;4,4;1,4;1,1","pgft":{"m":[4,4],"w":[1,4],"p":[1,1]}},"workload":{"name":"two jobs","filter":"","jobs":2,"sha256":"${'0'.repeat(64)}"},"policy":{"name":"slurm-block","version":"0.0.0","config":{"blockSizes":[8]},"claims":{"links":"shared","full_bandwidth":false,"exact_size":true,"monotone":true,"complete":true,"speedup_scenarios":false}},"options":{"arrivals":"zero","queue":"fcfs","estimates":"exact","overrun":"run-on"},"seal_every":256,"program":"test"}`
  const records = [
    { t: 0, type: 'submit', job: 'a', size: 5, walltime: 100 },
    { t: 0, type: 'allocate', job: 'a', nodes: '8-12', cause: 1 },
    { t: 20, type: 'submit', job: 'b', size: 4, walltime: 100 },
    { t: 20, type: 'allocate', job: 'b', nodes: '0-3', cause: 3 },
    { t: 50, type: 'finish', job: 'a', cause: 2 },
    { t: 50, type: 'release', job: 'a', cause: 5 },
    { t: 200, type: 'finish', job: 'b', cause: 4 },
  ]
  // The moments are 10, 30 and 50 s, with 11, 7 and 12 of 16 nodes free.
  const capacity = new CapacityOverTime({ from: 0, to: 60 }, 3, [4, 8], [4, 8, 9])
  for (const line of [header, ...records.map((record, at) => JSON.stringify({ seq: at + 1, ...record }))])
    capacity.add(decodeRecord(line))
  const free = 11 + 7 + 12
  expect(capacity.result()).toEqual({
    moments: 3,
    free: free / 3,
    inWholeBlocks: [(8 + 4 + 12) / free, (8 + 0 + 8) / free],
    // A job of 9 nodes fits in two blocks at the first and the last moment. A single block has place for a job of 8 at
    // these two moments, and for a job of 4 at every moment.
    fits: [1, 2 / 3, 2 / 3],
  })
})
