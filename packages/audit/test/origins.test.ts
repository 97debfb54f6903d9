import { readFileSync } from 'node:fs'
import { sha256 } from '@cloister/eventlog/node'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords, invariants } from '../src/index.ts'
import { whyNotOf } from '../src/invariant.ts'
import { LogBuilder } from './log-builder.ts'

const observed = readFileSync(new URL('../../eventlog/test/golden/3/valid/observed.ndjson', import.meta.url))

describe('auditLog of the log of a real machine', () => {
  test('an observed log is ok with an unknown queue discipline, and with the records of an instant in any order', () => {
    const report = auditLog([observed], sha256)
    expect(report.violations).toEqual([])
    expect(report.ok).toBe(true)
    expect(report.checked).toMatchObject({ 'node-exclusive': 3, 'job-life-cycle': 13, causes: 6, 'time-order': 21 })
    expect(report.notApplicable).toMatchObject({
      'finish-time': 'the events of a real machine follow from no estimate and no option (origin: observed)',
      'queue-order': expect.stringContaining('(origin: observed)'),
    })
  })

  test.each(['observed', 'driven'] as const)(
    'a log with the origin %s violates node-exclusive if two jobs get a node, and conservation if a job is not released',
    (origin) => {
      const log = new LogBuilder({ jobs: 2, origin })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(1, 'b', { nodes: '0-3' })
      log.allocate(1, 'a', { nodes: '3-6' })
      log.release(2, 'a')
      const { violationCounts } = auditRecords(log.end(3).records, sha256)
      expect(violationCounts).toEqual({
        'node-exclusive': 1,
        'release-restores': 1,
        conservation: 2,
        ...(origin === 'driven' ? { 'queue-order': 1 } : {}),
      })
    },
  )

  test.each(['simulated', 'driven'] as const)(
    'a log with the origin %s violates head-reserved and reservation-start with wrong reservations',
    (origin) => {
      const made = (start: number | undefined) => {
        const log = new LogBuilder({ jobs: 2, origin, queue: { backfill: 'easy', window: 5 } })
        log.submit(0, 'a', 12, 100)
        log.submit(0, 'b', 8, 50)
        log.allocate(0, 'a', { nodes: '0-11' })
        if (start !== undefined) log.reserve(0, 'b', start, { nodes: '0-3,12-15' })
        log.complete(100, 'a')
        log.allocate(100, 'b', { nodes: '0-3,12-15' })
        log.complete(150, 'b')
        return auditRecords(log.end(150).records, sha256).violationCounts
      }
      expect(made(100)).toEqual({})
      expect(made(undefined)).toEqual({ 'head-reserved': 1 })
      expect(made(1000)).toEqual({ 'reservation-start': 1 })
    },
  )

  test('a driven log may lack a reservation before a gap, because the controller stopped in the scheduling pass', () => {
    const log = new LogBuilder({ jobs: 2, origin: 'driven', queue: { backfill: 'easy', window: 5 } })
    log.submit(0, 'a', 12, 100)
    log.submit(0, 'b', 8, 50)
    log.allocate(0, 'a', { nodes: '0-11' })
    log.put({ seq: log.next, t: 20, type: 'gap', since: 0 })
    log.submit(30, 'c', 1, 10)
    log.reserve(30, 'b', 100, { nodes: '0-3,12-15' })
    log.allocate(30, 'c', { nodes: '15' }, { backfill: log.next - 1 })
    log.complete(40, 'c')
    log.complete(100, 'a')
    log.allocate(100, 'b', { nodes: '0-3,12-15' })
    log.complete(150, 'b')
    const { violations } = auditRecords(log.end(150).records, sha256)
    expect(violations).toEqual([])
  })

  test('8 invariants do not apply to driven logs, 30 do not apply to observed logs, and all apply to simulated logs', () => {
    const names = invariants.map(({ name }) => name)
    const beyond = (origin: 'simulated' | 'driven' | 'observed') =>
      names.filter((name) => whyNotOf(origin, name) !== undefined)
    expect(beyond('simulated')).toEqual([])
    expect(beyond('driven')).toHaveLength(8)
    expect(beyond('observed')).toHaveLength(30)
  })
})
