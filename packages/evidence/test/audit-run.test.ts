import { encodeRecord, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { greedy } from '@cloister/policy-greedy'
import { jigsaw } from '@cloister/policy-jigsaw'
import { slurmTree } from '@cloister/policy-slurm-tree'
import { prepare, record, type Run } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { describe, expect, test } from 'vitest'
import { auditRun, PermutationAuditor, rerunOfRun } from '../src/index.ts'

interface Recorded {
  readonly run: Run
  readonly log: ReadonlyArray<Uint8Array>
  readonly records: ReadonlyArray<LogRecord>
}

async function recorded(options: object): Promise<Recorded> {
  const given = { trace: 'synth:4:100', topology: 'radix:4', policy: 'jigsaw', queue: 'easy:50', ...options }
  const services = nodeServices({ policies: [jigsaw, greedy, slurmTree] })
  const run = await Effect.runPromise(prepare(given).pipe(Effect.provide(services)))
  const log: Array<Uint8Array> = []
  record(run, (chunk) => log.push(chunk))
  return { run, log, records: [...readLog(log, sha256)] }
}

describe('auditRun', () => {
  test('auditRun leaves no claim untested, not even run times by communication, which only a rerun can test', async () => {
    const { run, log, records } = await recorded({
      policy: 'greedy',
      communication: '90%:recursive-doubling:50%',
      runTimes: 'communication',
    })
    const seen: Array<LogRecord> = []
    expect(auditRun(run, log, (each) => seen.push(each))).toMatchObject({
      ok: true,
      untestedClaims: [],
      violations: [],
    })
    expect(seen).toEqual(records)
  })

  test('auditRun also audits the earlier runs whose costs have scaled the run times', async () => {
    const options = { policy: 'greedy', communication: '90%:recursive-doubling:50%', costsFrom: 'two-runs' }
    const { run, log } = await recorded(options)
    expect(run.earlier.map(({ bound }) => bound.policy.name)).toEqual(['greedy', 'slurm-tree'])
    const { ok, checked } = auditRun({ ...run, earlier: [] }, log, () => {})
    const all = auditRun(run, log, () => {})
    expect([ok, all.ok]).toEqual([true, true])
    expect(all.checked['exact-size']).toBeGreaterThan(2 * checked['exact-size'])
    // A false claim in an earlier run: greedy gives jobs no links.
    const [earlier] = run.earlier
    const claims = { ...earlier.bound.placer.claims, links: 'owned', rule: 'jigsaw-conditions' } as const
    const placer = { ...earlier.bound.placer, place: earlier.bound.placer.place.bind(earlier.bound.placer), claims }
    const faulty = { ...earlier, bound: { ...earlier.bound, placer } }
    expect(auditRun({ ...run, earlier: [faulty] }, log, () => {}).violationCounts).toHaveProperty('jigsaw-conditions')
  })

  test('auditRun finds a changed record', async () => {
    const { run, records } = await recorded({})
    const lines = records.map((each) => (each.type === 'allocate' ? { ...each, nodes: '0' } : each)).map(encodeRecord)
    const { ok, status } = auditRun(run, [Buffer.from(lines.map((line) => `${line}\n`).join(''))], () => {})
    expect({ ok, status }).toEqual({ ok: false, status: 'corrupt' })
  })
})

test('rerunOfRun names the first decision that the policy did not make', async () => {
  const { run, records } = await recorded({})
  expect(rerunOfRun(run, () => records).difference).toBeUndefined()
  const at = records.findIndex(({ type }) => type === 'allocate')
  const forged = records.with(at, { ...records[at], nodes: '15' } as LogRecord)
  expect(rerunOfRun(run, () => forged).difference?.seq).toBe(records[at].seq)
})

test('PermutationAuditor reports a permutation that a stolen link of an allocation leaves without a route', async () => {
  const { records } = await recorded({})
  const permutations = (all: ReadonlyArray<LogRecord>) => {
    const auditor = new PermutationAuditor(2, true)
    for (const each of all) auditor.add(each)
    return auditor.result()
  }
  const allocations = records.filter(({ type }) => type === 'allocate')
  expect(permutations(records)).toMatchObject({ routed: 2 * allocations.length, largestLoad: 1, violations: [] })
  const robbed = records.map((each) => (each.type === 'allocate' ? { ...each, links: [] } : each))
  expect(permutations(robbed as ReadonlyArray<LogRecord>).violations.length).toBeGreaterThan(0)
})
