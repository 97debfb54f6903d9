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
      audited({ origin: 'observed', queue: { order: 'submit', backfill: 'easy', window: 5 } }),
    ],
  ])('a claim stays untested: %s', (_, claim, report) => {
    expect(report.untestedClaims).toEqual([{ claim, reason: expect.any(String) }])
    expect(report.violations).toEqual([])
    expect([report.ok, exitCode(report)]).toEqual([false, 1])
  })

  test('the claim router stays untested if the auditor does not know the router', () => {
    const log = new LogBuilder({ jobs: 1, router: 'mine' })
    const digest = 'a'.repeat(43)
    log.submit(0, 'a', 2, 10)
    const cause = log.allocate(0, 'a', { nodes: '0-1' })
    log.route(0, 'a', 'add', { scheme: 'mine', entries: 4, digest }, cause)
    log.finish(10, 'a')
    log.route(10, 'a', 'remove', { scheme: 'mine', entries: 4, digest }, log.release(10, 'a'))
    const report = auditRecords(log.end(10).records, sha256)
    expect(report.violations).toEqual([])
    expect(report.untestedClaims).toEqual([{ claim: 'router', reason: expect.stringContaining('"mine"') }])
  })
})

test('progress-rates tests run times by contention if every pattern is known', () => {
  expect(audited(contention, { communication: { pattern: 'ring', share: 500 } })).toMatchObject({ ok: true })
})

test('a down record without nodes and links disables no check of reservations', () => {
  const log = new LogBuilder({ jobs: 2, queue: { order: 'submit', backfill: 'easy', window: 5 } })
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
