/** Log of a random run. Random runs have heavy load, failed nodes, and killed jobs that wait again. */
import { type Header, LogIndexBuilder, type LogRecord, LogSeeker, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, simulate } from '@cloister/kernel'
import { bindPolicy, type PlacementPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import * as fc from 'fast-check'
import { ViewedRun } from '../src/index.ts'

export interface RunLog {
  readonly bytes: Uint8Array
  readonly records: ReadonlyArray<LogRecord>
}

const job = fc.record({
  submit: fc.integer({ min: 0, max: 20 }).map((s) => s * 1000),
  size: fc.integer({ min: 1, max: 17 }),
  runTime: fc.integer({ min: 0, max: 9 }).map((s) => s * 1000),
  walltime: fc.integer({ min: 1, max: 12 }).map((s) => s * 1000),
})

export const runs: fc.Arbitrary<RunLog> = fc
  .record({
    topology: fc.constantFrom('radix:4', 'pgft:3;4,4,3;1,4,2;1,1,2'),
    policy: fc.constantFrom<Array<PlacementPolicy<any, any>>>(baseline, jigsaw),
    jobs: fc.array(job, { minLength: 1, maxLength: 40 }),
    broken: fc.option(fc.nat(15), { nil: undefined }),
    refusals: fc.boolean(),
  })
  .map(({ topology: name, policy, jobs, broken, refusals }) => {
    const topology = parseTopology(name)
    const bound = bindPolicy(policy, topology, {})
    const sorted = jobs
      .toSorted((a, b) => a.submit - b.submit)
      .map((each, at): Job => ({ ...each, id: `job${at + 1}` }))
    const workload = makeWorkload(sorted, { name: 'random', filter: '' })
    const queue = { backfill: 'easy', window: 50 } as const
    const outages =
      broken === undefined
        ? []
        : [
            { time: 3000, change: 'down' as const, resources: { nodes: [broken], links: [] } },
            { time: 9000, change: 'up' as const, resources: { nodes: [broken], links: [] } },
          ]
    const header = describeRun({
      workload,
      bound,
      program: 'cloister@test',
      options: optionsOfRules({ queue, estimates: 'requested', overrun: 'kill', requeue: true, refusals }, 'trace'),
    })
    const chunks: Array<Uint8Array> = []
    const recorder = new LogWriter({ ...header, seal_every: 16 }, topology, (chunk) => chunks.push(chunk), sha256)
    simulate({
      topology,
      policyName: policy.name,
      placer: bound.placer,
      workload,
      queue,
      estimates: 'requested',
      overrun: 'kill',
      outages,
      requeue: true,
      refusals,
      recorder,
    })
    const bytes = Buffer.concat(chunks)
    return { bytes, records: [...readLog([bytes], sha256)] }
  })

/** Returns the viewed run after all records of a log. */
export function viewed({ bytes, records }: RunLog, generation: number = 0): ViewedRun {
  const builder = new LogIndexBuilder()
  for (const record of records) builder.add(record)
  const seeker = new LogSeeker(
    builder.index({ status: 'whole', records: records.length, sealed: records.length, bytes: bytes.length }),
    (from, to) => bytes.subarray(from, to),
    sha256,
  )
  const run = new ViewedRun(records[0] as Header, () => seeker, { generation })
  for (const record of records) run.add(record)
  return run
}
