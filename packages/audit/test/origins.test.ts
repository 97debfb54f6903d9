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

  test('18 invariants do not apply to driven logs, 25 do not apply to observed logs, and all apply to simulated logs', () => {
    const names = invariants.map(({ name }) => name)
    const beyond = (origin: 'simulated' | 'driven' | 'observed') =>
      names.filter((name) => whyNotOf(origin, name) !== undefined)
    expect(beyond('simulated')).toEqual([])
    expect(beyond('driven')).toHaveLength(18)
    expect(beyond('observed')).toHaveLength(25)
  })
})
