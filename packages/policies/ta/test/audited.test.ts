import { auditLog, type AuditReport } from '@cloister/audit'
import { LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, type QueueDiscipline, simulate } from '@cloister/kernel'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { makeWorkload } from '@cloister/workload'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Config, ta } from '../src/index.ts'

interface Run {
  readonly topology: string
  readonly config: Partial<Config>
  readonly queue: QueueDiscipline
  /** Jobs of the run, each with its number of nodes and its run time in seconds. */
  readonly jobs: ReadonlyArray<readonly [number, number]>
}

function audit({ topology: spec, config, queue, jobs }: Run): AuditReport {
  const topology = parseTopology(spec)
  const bound = bindPolicy(ta, topology, config)
  const workload = makeWorkload(
    jobs.map(([size, seconds], id) => ({ id: `${id}`, submit: 0, size, runTime: 1000 * seconds, walltime: undefined })),
    { name: 'random', filter: '' },
  )
  const chunks: Array<Uint8Array> = []
  const header = describeRun({
    workload,
    bound,
    program: 'test@1.0.0',
    options: optionsOfRules({ queue, estimates: 'exact', overrun: 'run-on', refusals: false }, 'zero'),
  })
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  simulate({
    topology,
    policyName: 'ta',
    placer: bound.placer,
    workload,
    queue,
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    recorder,
  })
  return auditLog(chunks, sha256)
}

const runs: fc.Arbitrary<Run> = fc.record({
  topology: fc.constantFrom('radix:4', 'radix:6', 'pgft:3;4,3,3;1,2,2;1,1,1', 'pgft:2;4,6;1,4;1,1'),
  config: fc.constantFrom<Partial<Config>>({}, { wholeLeaves: true }, { wholePods: true, podsFirst: 'fewest-free' }),
  queue: fc.constantFrom<QueueDiscipline>({ backfill: 'none' }, { backfill: 'easy', window: 5 }),
  jobs: fc.array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 })),
      fc.integer({ min: 0, max: 30 }),
    ),
    { minLength: 1, maxLength: 60 },
  ),
})

test("the audit of TA's logs finds no violation, and tests every claim", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const report = audit(run)
      expect(report.violations).toEqual([])
      expect(report.untestedClaims).toEqual([])
      expect(report.ok).toBe(true)
      expect('complete' in report.checked).toBe(Object.keys(run.config).length === 0)
    }),
    { numRuns: 100 },
  )
})
