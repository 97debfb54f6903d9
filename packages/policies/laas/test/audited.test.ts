import { auditLog } from '@cloister/audit'
import { LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, simulate } from '@cloister/kernel'
import { drawBandwidth, makeWorkload } from '@cloister/workload'
import { bindPolicy } from '@cloister/placement'
import { parseIdset, parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { laas } from '../src/index.ts'

/** Returns the log of a run with jobs of many sizes, enough for every kind of placement of LaaS. */
function busyLog(config: unknown): ReadonlyArray<Uint8Array> {
  const topology = parseTopology('radix:8')
  const bound = bindPolicy(laas, topology, config)
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
  simulate({ ...run, topology, policyName: laas.name, placer: bound.placer, recorder })
  return chunks
}

test.each([{}, { leafJobsHoldUplinks: true }, { sharing: { capacity: 3000 } }, { search: 'as-released' }])(
  'the audit finds that every allocation of LaaS with the config %j meets the rule laas',
  (config) => {
    const report = auditLog(busyLog(config), sha256)
    expect(report).toMatchObject({ ok: true, violations: [], untestedClaims: [] })
    expect(report.checked['laas']).toBeGreaterThan(300)
    // The auditor does not search the placements of jobs that share links. The released search is not complete.
    expect('complete' in report.checked).toBe(!('sharing' in config || 'search' in config))
  },
)

test('a log of LaaS has the requested and the allocated size of a job if these sizes differ', () => {
  const requested = new Map<string, number>()
  let rounded = 0
  for (const record of readLog(busyLog({}), sha256)) {
    if (record.type === 'submit') requested.set(record.job, record.size)
    if (record.type !== 'allocate') continue
    const allocated = parseIdset(record.nodes).length
    if (allocated === requested.get(record.job)) continue
    expect(allocated % 4, 'leaves of 4 nodes').toBe(0)
    expect(allocated).toBe(Math.ceil(requested.get(record.job)! / 4) * 4)
    rounded++
  }
  expect(rounded).toBeGreaterThan(20)
})
