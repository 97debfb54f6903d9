/** Random logs of short runs, with killed, requeued, rejected and cancelled jobs, and with hostile names. */
import { type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { type Outage, describeRun, optionsOfRules, simulate } from '@cloister/kernel'
import { bindPolicy } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import { makeWorkload } from '@cloister/workload'
import * as fc from 'fast-check'

export const hostileIds: ReadonlyArray<string> = [
  'a"b',
  'x,y',
  "it's",
  '<b>&amp;</b>',
  'line\nend',
  'tab\t',
  'ünï',
  '-1',
  '007',
  '%EventDef',
]

/**
 * Returns random logs of simulated runs.
 *
 * @param ids ids of the first jobs, in submit order; later jobs have numbers from 1 as ids
 */
export function runs(ids: ReadonlyArray<string> = []): fc.Arbitrary<ReadonlyArray<LogRecord>> {
  const topology = parseTopology('radix:4')
  const job = fc.record({
    submit: fc.nat(12),
    size: fc.integer({ min: 1, max: 17 }),
    runTime: fc.nat(9),
    walltime: fc.nat(12),
  })
  const outage = fc.record({ node: fc.nat(15), from: fc.nat(12), lasts: fc.integer({ min: 1, max: 9 }) })
  return fc
    .record({
      jobs: fc.array(job, { minLength: 1, maxLength: 25 }),
      outages: fc.uniqueArray(outage, { maxLength: 3, selector: ({ node }) => node }),
      requeue: fc.boolean(),
      cancels: fc.array(fc.record({ job: fc.nat(), after: fc.integer({ min: 1, max: 9 }) }), { maxLength: 3 }),
      cut: fc.oneof(fc.constant(undefined), fc.nat()),
    })
    .map(({ jobs, outages, requeue, cancels, cut }) => {
      const sorted = jobs
        .toSorted((a, b) => a.submit - b.submit)
        .map(({ submit, size, runTime, walltime }, at) => ({
          id: ids[at] ?? String(at + 1),
          submit: submit * 1000,
          size,
          runTime: runTime * 1000,
          walltime: walltime * 1000,
        }))
      const workload = makeWorkload(sorted, { name: 'short', filter: '' })
      const changes: ReadonlyArray<Outage> = outages
        .flatMap(({ node, from, lasts }): ReadonlyArray<Outage> => {
          const resources = { nodes: [node], links: [] }
          return [
            { time: from * 1000, change: 'down', resources },
            { time: (from + lasts) * 1000, change: 'up', resources },
          ]
        })
        .toSorted((a, b) => a.time - b.time)
      const cancellations = cancels
        .map(({ job: number, after }) => ({
          job: number % sorted.length,
          time: sorted[number % sorted.length].submit + after * 1000,
        }))
        .toSorted((a, b) => a.time - b.time || a.job - b.job)
      const bound = bindPolicy(jigsaw, topology)
      const options = {
        workload,
        queue: { backfill: 'easy', window: 5 },
        estimates: 'requested',
        overrun: 'kill',
        requeue,
        refusals: false,
      } as const
      const chunks: Array<Uint8Array> = []
      const recorder = new LogWriter(
        {
          ...describeRun({ workload, bound, options: optionsOfRules(options, 'trace'), program: 'test' }),
          seal_every: 8,
        },
        topology,
        (chunk) => chunks.push(chunk),
        sha256,
      )
      simulate({
        ...options,
        topology,
        policyName: 'jigsaw',
        placer: bound.placer,
        outages: changes,
        cancellations,
        recorder,
      })
      const records = [...readLog(chunks, sha256)]
      return cut === undefined ? records : records.slice(0, 1 + (cut % records.length))
    })
}
