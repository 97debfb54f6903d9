import type { ClaimsRef, LogRecord } from '@cloister/eventlog'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology, switchGraph } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords, exitCode, invariants, LISTED_VIOLATIONS } from '../src/index.ts'
import { base64url } from '../src/seal-chain.ts'
import { LogBuilder } from './log-builder.ts'

/** Builds the log of jobs that run in sequence, without overlap. */
function manyJobs(jobs: number, claims: Partial<ClaimsRef> = {}, ended = true): LogBuilder {
  const log = new LogBuilder({ jobs, claims, sealEvery: 8 })
  for (let i = 0; i < jobs; i++) {
    log.submit(10 * i, `${i}`, 2, 10)
    log.allocate(10 * i, `${i}`, { nodes: '0-1' })
    log.complete(10 * i + 10, `${i}`)
  }
  return ended ? log.end(10 * jobs) : log
}

test.each([
  ['few', 3],
  ['most', 27_648],
])('state-digest is tested on a machine of 82,944 nodes and links if records name %s of them', (_share, size) => {
  const log = new LogBuilder({ topology: parseTopology('radix:48'), jobs: 3, sealEvery: 3 })
  for (const job of ['a', 'b', 'c']) {
    log.submit(0, job, size, 10)
    log.allocate(0, job, { nodes: `0-${size - 1}` })
    log.complete(0, job)
  }
  const { checked, violationCounts } = auditRecords(log.end(1).records, sha256)
  expect(violationCounts['state-digest']).toBeUndefined()
  expect(checked['state-digest']).toBeGreaterThan(3)
})

test('auditLog gives each record to `onRecord`, and returns the same report as without `onRecord`', () => {
  const bytes = manyJobs(20).bytes()
  const seen: Array<LogRecord> = []
  expect(auditLog([bytes], sha256, { onRecord: (record) => seen.push(record) })).toEqual(auditLog([bytes], sha256))
  expect(seen).toEqual([...readLog([bytes], sha256)])
})

test("the invariant causes: the cause of a route record that undoes entries is the release of the job, even before the job's submit", () => {
  const log = new LogBuilder({ jobs: 1 })
  const released = log.release(0, 'a', 0)
  log.submit(0, 'a', 1)
  log.route(0, 'a', 0, released)
  log.route(0, 'a', 0, 0)
  const found = auditRecords(log.records, sha256).violations.filter(({ invariant }) => invariant === 'causes')
  expect(found.map(({ seq, message }) => [seq, message])).toEqual([
    [1, "the cause is 0, expected the job's finish, kill or withdraw"],
    [4, "the cause is 0, expected the job's release, 1"],
  ])
})

describe('auditLog of a log with a whole, missing or wrong end', () => {
  const bytes = manyJobs(20).bytes()
  const lineStart = (line: number): number =>
    manyJobs(20)
      .lines.slice(0, line)
      .reduce((sum, each) => sum + each.length + 1, 0)

  test('a whole log is ok, with exit code 0', () => {
    const report = auditLog([bytes], sha256)
    expect(report).toMatchObject({
      ok: true,
      status: 'whole',
      records: manyJobs(20).records.length,
      violations: [],
      untestedClaims: [],
    })
    expect(report.checked['canonical-form']).toBe(report.records)
    expect(report.checked['seal-chain']).toBe(report.checked['state-digest'])
    expect(exitCode(report)).toBe(0)
  })

  test.each([
    ['unsealed', lineStart(30), 3],
    ['torn', lineStart(30) - 3, 3],
    ['torn', 0, 3],
  ])('the status of the log is %s after a cut at byte %i, and the exit code is %i', (status, cut, code) => {
    const report = auditLog([bytes.subarray(0, cut)], sha256)
    expect(report).toMatchObject({ ok: false, status, violations: [] })
    expect(exitCode(report)).toBe(code)
  })

  test('the audit of a log with one changed byte is not ok, with exit code 2 or 3', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = bytes.slice()
        changed[at] ^= change
        const report = auditLog([changed], sha256)
        expect(report.ok).toBe(false)
        expect([2, 3]).toContain(exitCode(report))
      }),
      { numRuns: 200 },
    )
  })

  test('a log with a violation gives exit code 1 if its end record is missing, and exit code 2 if the log is corrupt', () => {
    const log = new LogBuilder({ jobs: 1, sealEvery: 4 })
    log.submit(0, 'a', 4, 10)
    log.allocate(0, 'a', { nodes: '0-2' })
    log.complete(10, 'a')
    expect(exitCode(auditLog([log.bytes()], sha256))).toBe(1)
    expect(exitCode(auditLog([log.bytes(), new TextEncoder().encode('{}\n')], sha256))).toBe(2)
  })

  test('a file that is no log is corrupt, with one violation', () => {
    const report = auditLog([new TextEncoder().encode('; UnixStartTime: 0\n')], sha256)
    expect(report).toMatchObject({ ok: false, status: 'corrupt', records: 0 })
    expect(report.violations).toHaveLength(1)
  })

  test('auditLog returns the same report for any cut of a log into chunks', () => {
    const expected = auditLog([bytes], sha256)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        const ends = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = ends.slice(1).map((end, i) => bytes.subarray(ends[i], end))
        expect(auditLog(chunks, sha256)).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })
})

describe('auditRecords', () => {
  test('auditRecords of an array tests neither seal-chain nor canonical-form, and finds the log whole or unsealed', () => {
    const report = auditRecords(manyJobs(3).records, sha256)
    expect(report).toMatchObject({ ok: true, status: 'whole' })
    expect(report.notApplicable).toMatchObject({
      'seal-chain': 'the audit got records, not bytes',
      'canonical-form': 'the audit got records, not bytes',
    })
    expect(auditRecords(manyJobs(3, {}, false).records, sha256)).toMatchObject({
      ok: false,
      status: 'unsealed',
      violations: [],
    })
  })

  test('auditRecords of `readLog` returns the outcome of `readLog`', () => {
    const report = auditRecords(readLog([manyJobs(3).bytes()], sha256), sha256)
    expect(report).toMatchObject({ ok: true, status: 'whole', outcome: { status: 'whole', records: report.records } })
  })

  test('auditRecords finds a violation of sequence if the first record is no header, and is not ok without records', () => {
    const report = auditRecords(manyJobs(1).records.slice(1), sha256)
    expect(report.violations).toMatchObject([{ invariant: 'sequence', seq: 1 }])
    expect(auditRecords([], sha256)).toMatchObject({ ok: false, records: 0, violations: [] })
  })
})

describe('auditLog of a CSV file', () => {
  test('a CSV file violates canonical-form, and no reason in `notApplicable` says that the audit got records, not bytes', () => {
    const report = auditLog([new TextEncoder().encode('job,nodes\n1,4\n')], sha256)
    expect(exitCode(report)).toBe(2)
    expect(report.violations).toMatchObject([
      { invariant: 'canonical-form', seq: 0, message: expect.stringContaining('this is no Cloister log') },
    ])
    expect(report.checked).toEqual({ 'canonical-form': 1 })
    expect(report.notApplicable['seal-chain']).toBe('the log has no seal')
    expect(Object.values(auditLog([], sha256).notApplicable)).not.toContain('the audit got records, not bytes')
  })
})

describe('auditLog of logs with capped links, and of a switch graph', () => {
  test('a log with `capped` links is ok: two jobs hold one link, and seals digest the MB/s on each link', () => {
    const log = new LogBuilder({ jobs: 2, claims: { links: 'capped' }, linkCapacity: 1000, sealEvery: 2 })
    log.submit(0, 'a', 2, 10)
    log.submit(0, 'b', 2, 20)
    log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'] }, { bandwidth: 700 })
    log.allocate(0, 'b', { nodes: '1,3', links: ['0,2'] }, { bandwidth: 300 })
    log.down(5, { nodes: '', links: ['2,9'] })
    log.complete(10, 'a')
    log.complete(20, 'b')
    const report = auditLog([log.end(20).bytes()], sha256)
    expect(report).toMatchObject({ ok: true, violations: [] })
    expect(report.checked).toMatchObject({ 'link-capacity': 2 })
    expect(report.notApplicable).toMatchObject({ 'link-exclusive': 'the policy shares links up to a cap' })
  })

  test('the log of a switch graph is ok, with leaves of 3, 1 and 2 nodes', () => {
    const topology = switchGraph({ name: 'slurm:uneven', leaves: [3, 1, 2], parents: [[[0, 1], [0], [1, 1]]] })
    const log = new LogBuilder({
      topology,
      jobs: 1,
      claims: { links: 'owned', rule: 'jigsaw-conditions' },
      sealEvery: 2,
    })
    log.submit(0, 'a', 2, 10)
    log.allocate(0, 'a', { nodes: '0,3', links: ['0,2'] })
    log.complete(10, 'a')
    const report = auditLog([log.end(10).bytes()], sha256)
    expect(report).toMatchObject({ ok: true, violations: [] })
  })
})

describe('`untestedClaims` of a report', () => {
  test.each<[string, Partial<ClaimsRef>, ReadonlyArray<string>]>([
    ['exact sizes, tested', { exact_size: true }, []],
    ['links owned, tested', { links: 'owned' }, []],
    ['links capped without a capacity', { links: 'capped' }, ['links']],
    ['links by a rule without a name', { links: 'rule' }, ['links']],
    ['links by an unknown rule', { links: 'rule', rule: 'red-and-black' }, ['rule']],
    ['conditions on links without owners', { links: 'shared', rule: 'jigsaw-conditions' }, ['rule']],
    ['TA on links without owners', { links: 'rule', rule: 'ta' }, ['rule']],
    ['full bandwidth by the conditions', { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true }, []],
    ['full bandwidth by the conditions of LaaS', { links: 'owned', rule: 'laas', full_bandwidth: true }, []],
    [
      'full bandwidth on shared links',
      { links: 'capped', rule: 'laas', full_bandwidth: true },
      ['links', 'full_bandwidth'],
    ],
    ['full bandwidth by nested remainders', { links: 'owned', rule: 'nested-remainders', full_bandwidth: true }, []],
    ['nested remainders on links up to a capacity', { links: 'capped', rule: 'nested-remainders' }, ['links']],
    ['nested remainders on links without owners', { links: 'shared', rule: 'nested-remainders' }, ['rule']],
    ['full bandwidth by TA', { links: 'owned', rule: 'ta', full_bandwidth: true }, []],
    ['full bandwidth without a rule', { links: 'owned', full_bandwidth: true }, ['full_bandwidth']],
  ])('the untested claims of a log whose header claims %s', (_, claims, untested) => {
    const report = auditLog([manyJobs(2, claims).bytes()], sha256)
    expect(report.untestedClaims.map(({ claim }) => claim)).toEqual(untested)
    expect(report.ok).toBe(untested.length === 0)
    expect(exitCode(report)).toBe(untested.length === 0 ? 0 : 1)
  })

  test.each([
    ['pgft:3;2,2,4;1,2,2;1,1,1', []],
    ['pgft:3;2,2,4;1,1,1;1,1,1', ['full_bandwidth']],
    ['pgft:2;2,2;1,2;1,1', []],
    ['kary:2:4', ['rule', 'full_bandwidth']],
  ])(
    'the claim full_bandwidth with the rule ta on the topology %s: the report has the untested claims %j',
    (spelling, untested) => {
      const log = new LogBuilder({
        topology: parseTopology(spelling),
        jobs: 1,
        claims: { links: 'owned', rule: 'ta', full_bandwidth: true },
      })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: '0-1' })
      log.complete(10, 'a')
      const report = auditRecords(log.end(10).records, sha256)
      expect(report.violations).toEqual([])
      expect(report.untestedClaims.map(({ claim }) => claim)).toEqual(untested)
    },
  )

  test('the report of a log without allocations has no untested claims', () => {
    expect(auditLog([manyJobs(0, { links: 'owned', rule: 'ta', full_bandwidth: true }).bytes()], sha256).ok).toBe(true)
  })

  test('the report lists the claims monotone and speedup_scenarios, and what is not tested of complete, under `notApplicable`', () => {
    const { notApplicable } = auditLog(
      [manyJobs(1, { monotone: true, complete: true, speedup_scenarios: true }).bytes()],
      sha256,
    )
    expect(notApplicable).toMatchObject({
      monotone: expect.any(String),
      'complete-search': expect.stringContaining('rule: none'),
      speedup_scenarios: expect.any(String),
    })
  })
})

describe('the report of an audit', () => {
  test('the report names every invariant once: in `checked` with the number of tests, or in `notApplicable` with the reason for no test', () => {
    const { checked, notApplicable } = auditLog([manyJobs(2).bytes()], sha256)
    const named = [...Object.keys(checked), ...Object.keys(notApplicable)]
    expect(named.toSorted()).toEqual(invariants.map(({ name }) => name).toSorted())
    expect(checked).toMatchObject({ 'node-exclusive': 2, 'exact-size': 2, totals: 1 })
    expect(notApplicable).toMatchObject({
      'link-exclusive': 'the log has no record to which the invariant applies',
      'easy-first-reservation': 'the queue has another discipline (backfill: none)',
      'down-up': 'the log has no record to which the invariant applies',
    })
  })

  test('the report lists the first 20 violations of each invariant, and counts all violations', () => {
    const log = manyJobs(60)
    const wrong = log.records.map((record): LogRecord =>
      record.type === 'allocate' ? { ...record, nodes: '0-2' } : record,
    )
    const report = auditRecords(
      wrong.filter(({ type }) => type !== 'seal').map((record, seq) => ({ ...record, seq }) as LogRecord),
      sha256,
    )
    expect(report.violationCounts['exact-size']).toBe(60)
    expect(report.violations.filter(({ invariant }) => invariant === 'exact-size')).toHaveLength(LISTED_VIOLATIONS)
    expect(report.violations.map(({ seq }) => seq)).toEqual(
      report.violations.map(({ seq }) => seq).toSorted((a, b) => a - b),
    )
  })

  test('a violation in a report has the seq, time and job of the record, and a message', () => {
    const log = manyJobs(1)
    const wrong = log.records.map((record): LogRecord =>
      record.type === 'allocate' ? { ...record, nodes: '0-2' } : record,
    )
    expect(auditRecords(wrong, sha256).violations).toEqual([
      { invariant: 'exact-size', seq: 2, t: 0, job: '0', message: 'the allocate has 3 nodes, but job 0 requested 2' },
    ])
  })
})

test('the invariants sequence and seals: gap and fault records have seqs, and a seal follows a fault', () => {
  const log = new LogBuilder({ jobs: 1, origin: 'driven' })
  const submitted = log.submit(0, 'a', 2)
  log.put({ seq: log.next, t: 1, type: 'gap', since: 0 })
  log.put({
    seq: log.next,
    t: 1,
    type: 'fault',
    job: 'a',
    purpose: 'start',
    request: {},
    message: 'no such leaf',
    cause: submitted,
  })
  log.seal(1)
  const report = auditRecords(log.records, sha256)
  expect(report.violations).toEqual([])
  expect(report.checked).toMatchObject({ sequence: 5, seals: 1 })
})

test('base64url returns the same text as the base64url encoding of Node.js', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
    }),
  )
})
