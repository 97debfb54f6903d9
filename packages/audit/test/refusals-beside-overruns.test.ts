import { sha256 } from '@cloister/eventlog/node'
import { expect, it } from 'vitest'
import { auditRecords } from '../src/index.ts'
import { LogBuilder } from './log-builder.ts'

it('a job may wait without a refuse record if movable reservations count the nodes of a late job twice', () => {
  // Nodes of job a, which runs past its estimate, are reserved for b from 10 s on. Job c would fit on the other nodes.
  const log = new LogBuilder({
    jobs: 3,
    queue: { order: 'smallest', backfill: 'conservative', window: 4, reservation: 'movable' },
    estimates: 'requested',
    overrun: 'run-on',
    refusals: true,
  })
  log.submit(0, 'a', 8, 10)
  log.submit(0, 'b', 12, 10)
  log.allocate(0, 'a', { nodes: '0-7' })
  log.refuse(0, 'b', 'too-few-nodes', { have: 8, need: 12 })
  log.reserve(0, 'b', 10, { nodes: '0-11' })
  log.submit(10, 'c', 1, 1)
  log.reserve(10, 'c', 11, { nodes: '0' })
  log.submit(12, 'd', 1, 1)
  const report = auditRecords(log.records, sha256)
  expect(report.violations.filter(({ invariant }) => invariant === 'refusals-complete')).toEqual([])
  expect(report.notApplicable['refusals-beside-overruns']).toMatch(/^\d+ times? a job waited without a refuse record/)
})

it('a job may wait without a refuse record if a node failed that a later job of the queue has reserved', () => {
  // At 10 s, job c would fit on the free nodes, but the counts still subtract the failed node that is reserved for b.
  const log = new LogBuilder({
    jobs: 2,
    queue: { order: 'smallest', backfill: 'conservative', window: 4, reservation: 'movable' },
    refusals: true,
  })
  log.submit(0, 'a', 14, 10)
  log.submit(0, 'b', 3, 10)
  log.allocate(0, 'a', { nodes: '0-13' })
  log.refuse(0, 'b', 'too-few-nodes', { have: 2, need: 3 })
  const reserve = log.reserve(0, 'b', 10, { nodes: '13-15' })
  log.down(5, { nodes: '15' })
  log.submit(5, 'c', 1, 8)
  log.reserve(5, 'c', 10, { nodes: '14' })
  log.unreserve(5, 'b', reserve)
  log.reserve(5, 'b', 10, { nodes: '11-13' })
  log.submit(6, 'd', 1, 1)
  const report = auditRecords(log.records, sha256)
  expect(report.violations.filter(({ invariant }) => invariant === 'refusals-complete')).toEqual([])
  expect(report.notApplicable['refusals-beside-overruns']).toMatch(/^1 times a job waited without a refuse record/)
})
