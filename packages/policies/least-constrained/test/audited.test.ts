import { auditLog, type AuditReport } from '@cloister/audit'
import { LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, simulate } from '@cloister/kernel'
import { drawBandwidth, makeWorkload } from '@cloister/workload'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { leastConstrained } from '../src/index.ts'

/** Returns the audit of a run with jobs of many sizes, enough for every kind of placement and for fully used links. */
function audited(config: unknown): AuditReport {
  const topology = parseTopology('radix:8')
  const bound = bindPolicy(leastConstrained, topology, config)
  const jobs = Array.from({ length: 300 }, (_, at) => ({
    id: `${at}`,
    submit: 0,
    size: 1 + ((at * 37) % 60),
    runTime: 1000 * (1 + ((at * 13) % 29)),
    walltime: undefined,
  }))
  const workload = makeWorkload(drawBandwidth(jobs, 1), { name: 'busy', filter: '' })
  const run = {
    workload,
    queue: { backfill: 'easy', window: 50 },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
  } as const
  const header = describeRun({ workload, bound, options: optionsOfRules(run, 'zero'), program: 'test' })
  const chunks: Array<Uint8Array> = []
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  simulate({ ...run, topology, policyName: leastConstrained.name, placer: bound.placer, recorder })
  return auditLog(chunks, sha256)
}

test('the audit of least-constrained without sharing finds no breach of the rule jigsaw-conditions', () => {
  const report = audited({})
  expect(report).toMatchObject({ ok: true, violations: [], untestedClaims: [] })
  expect(report.checked['jigsaw-conditions']).toBeGreaterThan(300)
})

test('the audit of least-constrained with sharing finds no breach of jigsaw-conditions or of the capacity of links', () => {
  const report = audited({ sharing: { capacity: 3000 } })
  expect(report).toMatchObject({ ok: true, violations: [], untestedClaims: [] })
  expect(report.checked).toMatchObject({
    'link-capacity': 300,
    'jigsaw-conditions': expect.any(Number),
    'backfill-no-delay': expect.any(Number),
  })
})
