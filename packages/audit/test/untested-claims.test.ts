// If a header or a record makes a check impossible, the report lists the claim as untested.
import { sha256 } from '@cloister/eventlog/node'
import { describe, expect, test } from 'vitest'
import { auditRecords, exitCode } from '../src/index.ts'
import { COMMUNICATES, LogBuilder, type RunOptions } from './log-builder.ts'

/** Audits the log of one job on two nodes. */
function audited(
  options: Partial<RunOptions>,
  submit: Parameters<LogBuilder['submit']>[4] = {},
  estimate: number | null = 10,
) {
  const log = new LogBuilder({ jobs: 1, ...options })
  log.submit(0, 'a', 2, estimate ?? undefined, submit)
  log.allocate(0, 'a', { nodes: '0-1' }, submit === COMMUNICATES ? { estimate: 12 } : {})
  log.complete(submit === COMMUNICATES ? 12 : 10, 'a')
  return auditRecords(log.end(12).records, sha256)
}

const CONSERVATIVE: RunOptions['queue'] = { backfill: 'conservative', window: 3 }
const contention = { runTimes: 'contention' } as const
const unknownPattern = { communication: { pattern: 'whatever', share: 500 } }

describe('the report is not ok, because of an untested claim', () => {
  test.each([
    ['run times by communication', 'runTimes', audited({ runTimes: 'communication' }, COMMUNICATES)],
    ['run times by contention with an unknown pattern', 'runTimes', audited(contention, unknownPattern)],
    ['estimates, if a job of a simulation has no estimate', 'estimates', audited({}, {}, null)],
    [
      'the queue discipline of an observed scheduler',
      'queue',
      audited({ origin: 'observed', queue: { backfill: 'easy', window: 5 } }),
    ],
    [
      'the queue discipline of a driven log, if the discipline kills jobs for reservations',
      'queue',
      audited({ origin: 'driven', queue: { backfill: 'easy', window: 5, kill: true } }),
    ],
  ])('a claim stays untested: %s', (_, claim, report) => {
    expect(report.untestedClaims).toEqual([{ claim, reason: expect.any(String) }])
    expect(report.violations).toEqual([])
    expect([report.ok, exitCode(report)]).toEqual([false, 1])
  })
})

describe('a record needs a fact that the log lacks', () => {
  const rounding: Partial<RunOptions> = { jobs: 1, refusals: true, claims: { exact_size: false } }

  test.each<[string, string, string, (log: LogBuilder) => void]>([
    [
      'refusals',
      'a refusal as too-few-nodes by a policy that may round sizes up',
      'the policy may round sizes up',
      (log) => {
        log.refuse(0, 'a', 'too-few-nodes', { have: 16, need: 4 })
        log.allocate(0, 'a', { nodes: '0-7' })
        log.complete(10, 'a')
      },
    ],
    [
      'rejections',
      'a rejection for the machine size by a policy that may round sizes up',
      'the policy may round sizes up',
      (log) => log.reject(0, 'a', 'never', 'machine size'),
    ],
    [
      'rejections',
      'a rejection as too-few-nodes by a policy that may round sizes up',
      'the policy may round sizes up',
      (log) => log.reject(0, 'a', 'too-few-nodes'),
    ],
    [
      'revision',
      'a record of a type that the auditor does not know',
      'has the type "forecast"',
      (log) => {
        log.put({ seq: log.next, t: 0, type: 'unknown', name: 'forecast' })
        log.allocate(0, 'a', { nodes: '0-7' })
        log.complete(10, 'a')
      },
    ],
  ])('the claim %s stays untested after %s', (claim, _, reason, tell) => {
    const log = new LogBuilder(rounding)
    log.submit(0, 'a', 4, 10)
    tell(log)
    const report = auditRecords(log.end(10).records, sha256)
    expect(report.violations).toEqual([])
    expect(report.untestedClaims).toEqual([{ claim, reason: expect.stringContaining(reason) }])
    expect([report.ok, exitCode(report)]).toEqual([false, 1])
  })

  test('the report counts the refusals and rejections that no count decides', () => {
    const log = new LogBuilder({ jobs: 2, refusals: true })
    log.submit(0, 'a', 4, 10)
    log.submit(0, 'b', 4, 10)
    log.reject(0, 'b')
    log.refuse(0, 'a')
    log.allocate(0, 'a', { nodes: '0-3' })
    log.complete(10, 'a')
    const report = auditRecords(log.end(10).records, sha256)
    expect(report).toMatchObject({
      ok: true,
      notApplicable: { 'refusals-by-place': expect.stringMatching(/^2 refusals and rejections/) },
    })
  })

  test.each([
    [8, { outages: expect.stringMatching(/^1 times a job had no reservation/) }],
    [16, {}],
  ])('the report counts the outages that excuse a job of %s nodes, unless too few nodes are up', (size, expected) => {
    const log = new LogBuilder({ jobs: 2, queue: { backfill: 'easy', window: 2 } })
    log.down(0, { nodes: '15' })
    log.submit(0, 'a', 12, 10)
    log.submit(0, 'b', size, 10)
    log.allocate(0, 'a', { nodes: '0-11' })
    log.up(5, { nodes: '15' })
    log.reserve(5, 'b', 10, { nodes: `0-${size - 1}` })
    log.complete(10, 'a')
    log.allocate(10, 'b', { nodes: `0-${size - 1}` })
    log.complete(20, 'b')
    const { notApplicable, violations } = auditRecords(log.end(20).records, sha256)
    expect(violations).toEqual([])
    const { outages } = notApplicable
    expect(outages === undefined ? {} : { outages }).toEqual(expected)
  })

  test('a job of conservative backfilling without a refuse record leaves runTimes untested if placements change run times', () => {
    const waits = (options: Partial<RunOptions>, submit: typeof COMMUNICATES | object = {}) => {
      const log = new LogBuilder({ jobs: 2, refusals: true, queue: CONSERVATIVE, ...options })
      log.submit(0, 'a', 16, 10, submit)
      log.submit(0, 'b', 16, 10)
      log.allocate(0, 'a', { nodes: '0-15' })
      log.reserve(0, 'b', 10, { nodes: '0-15' })
      log.complete(10, 'a')
      log.allocate(10, 'b', { nodes: '0-15' })
      log.complete(20, 'b')
      return auditRecords(log.end(20).records, sha256)
    }
    expect(waits({}).violationCounts).toEqual({ 'refusals-complete': 1 })
    expect(waits({ runTimes: 'communication' }).violationCounts).toEqual({ 'refusals-complete': 1 })
    expect(waits({ runTimes: 'communication' }, COMMUNICATES)).toMatchObject({
      violations: [],
      untestedClaims: [{ claim: 'runTimes', reason: expect.stringContaining('job b waits without a refuse record') }],
    })
  })
})

describe('an option of the header disables no invariant by its mere presence', () => {
  const late = (options: Partial<RunOptions>) => {
    const log = new LogBuilder({ jobs: 2, queue: CONSERVATIVE, ...options })
    log.submit(0, 'a', 12, 100)
    log.submit(0, 'e', 2, 120)
    log.submit(0, 'b', 8, 50)
    log.allocate(0, 'a', { nodes: '0-11' })
    log.allocate(0, 'e', { nodes: '12-13' })
    const reserve = log.reserve(0, 'b', 100, { nodes: '0-7' })
    log.submit(10, 'c', 1, 5)
    log.unreserve(10, 'b', reserve)
    log.reserve(10, 'b', 120, { nodes: '0-7' })
    log.allocate(10, 'c', { nodes: '15' }, { backfill: log.next - 1 })
    log.complete(15, 'c')
    log.complete(100, 'a')
    log.complete(120, 'e')
    log.allocate(120, 'b', { nodes: '0-7' })
    log.complete(170, 'b')
    return Object.keys(auditRecords(log.end(170).records, sha256).violationCounts)
  }

  test.each(['fixed', 'contention', 'communication'] as const)(
    'reservations are tested under conservative backfilling if runTimes is %s, but no job communicates',
    (runTimes) => {
      expect(late(runTimes === 'fixed' ? {} : { runTimes })).toEqual(
        expect.arrayContaining(['reservation-moves', 'conservative-first-reservation']),
      )
    },
  )

  test.each(['jigsaw-conditions', 'laas', 'nested-remainders', 'isolated-under-adaptive-routing', 'ta', undefined])(
    'the claim `links: rule`, which exempts a log from reservation-on-time, stays untested with the rule %s',
    (rule) => {
      const claims = { links: 'rule', ...(rule === undefined ? {} : { rule }) } as const
      const report = audited({ claims, queue: { backfill: 'easy', window: 5 } })
      expect(report.notApplicable).toHaveProperty('reservation-on-time')
      expect(exitCode(report)).toBe(1)
      expect(report.untestedClaims.map(({ claim }) => claim)).toContain(rule === undefined ? 'links' : 'rule')
    },
  )

  test('a discipline without reservations, which exempts a log from their invariants, allows no reservations', () => {
    const log = new LogBuilder({ jobs: 1 })
    log.submit(0, 'a', 4, 10)
    log.reserve(0, 'a', 10, { nodes: '0-3' })
    log.allocate(10, 'a', { nodes: '0-3' }, { backfill: log.next - 1 })
    const { violationCounts, notApplicable } = auditRecords(log.end(10).records, sha256)
    expect(violationCounts).toMatchObject({ reservations: 1, backfill: 1 })
    for (const each of ['reservation-start', 'reservation-moves', 'reservation-places', 'reservation-on-time'])
      expect(notApplicable[each]).toContain('makes no reservations')
  })
})

test('progress-rates tests run times by contention if every pattern is known', () => {
  expect(audited(contention, { communication: { pattern: 'ring', share: 500 } })).toMatchObject({ ok: true })
})

test('a down record without nodes and links disables no check of reservations', () => {
  const log = new LogBuilder({ jobs: 2, queue: { backfill: 'easy', window: 5 } })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  log.down(1, { nodes: '' })
  log.unreserve(1, 'b', reserve)
  log.reserve(1, 'b', 150, { nodes: '0-3,12-15' })
  log.complete(100, 'a')
  log.allocate(150, 'b', { nodes: '0-3,12-15' })
  log.complete(200, 'b')
  expect(auditRecords(log.end(200).records, sha256).violationCounts).toMatchObject({
    'reservation-moves': 1,
    'easy-first-reservation': 1,
  })
})
