import { extractWindow, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { expect, test } from 'vitest'
import { auditLog, auditRecords, invariants } from '../src/index.ts'
import { whyNotOfPart } from '../src/invariant.ts'
import { LogBuilder } from './log-builder.ts'
import { withReservation } from './small-logs.ts'

/** Builds a log in which two jobs hold the node 1 from 100 s to 200 s. */
function givenTwice(): LogBuilder {
  const log = new LogBuilder({ jobs: 3 })
  log.submit(0, 'early', 2, 10)
  log.allocate(0, 'early', { nodes: '0-1' })
  log.complete(10, 'early')
  log.submit(100, 'a', 2, 100)
  log.submit(100, 'b', 2, 100)
  log.allocate(100, 'a', { nodes: '0-1' })
  log.allocate(100, 'b', { nodes: '1-2' })
  log.complete(200, 'a')
  log.complete(200, 'b')
  return log.end(200)
}

test('auditLog of a part of a run tests node-exclusive, but not workload-count', () => {
  const chunks: Array<Uint8Array> = []
  extractWindow(
    () => givenTwice().records,
    50,
    150,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  const { violationCounts, notApplicable, status } = auditLog(chunks, sha256)
  expect(violationCounts).toMatchObject({ 'node-exclusive': 1 })
  expect(status).toBe('whole')
  for (const invariant of ['workload-count', 'totals']) expect(violationCounts).not.toHaveProperty(invariant)
  expect(notApplicable).toMatchObject({
    'workload-count': 'the header describes the jobs of the whole run (a part of a run: 50 s to 150 s)',
  })
})

/** Returns the header of a log as the header of a part of a run. */
function asPart(records: ReadonlyArray<LogRecord>, from: number, until: number): ReadonlyArray<LogRecord> {
  return records.map((record) => (record.type === 'header' ? { ...record, part: { from, until } } : record))
}

test('the log of a whole run violates reservation-start with ten times the starts of reservations, though the header calls the log a part', () => {
  const { log } = withReservation()
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.complete(150, 'b')
  const late = log.end(150).records.map((record) => (record.type === 'reserve' ? { ...record, start: 1000 } : record))
  expect(auditRecords(asPart(log.records, 0, 150), sha256)).toMatchObject({ ok: true, violations: [] })
  expect(auditRecords(asPart(late, 0, 150), sha256).violationCounts).toEqual({ 'reservation-start': 1 })
})

test.each([
  [0, 149],
  [0, 151],
  [151, 150],
])('the log of a part from %s s to %s s violates header if the log ends at 150 s', (from, until) => {
  const { log } = withReservation()
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.complete(150, 'b')
  expect(auditRecords(asPart(log.end(150).records, from, until), sha256).violationCounts).toEqual({ header: 1 })
})

test('the report of a part of a run counts the tests that need records from before the part', () => {
  const { log } = withReservation()
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.complete(150, 'b')
  const { notApplicable } = auditRecords(asPart(log.end(150).records, 50, 150), sha256)
  expect(notApplicable).toMatchObject({
    part: expect.stringMatching(/^\d+ tests of records before 50 s were passed over/),
  })
  expect(auditRecords(asPart(log.records, 0, 150), sha256).notApplicable).not.toHaveProperty('part')
})

test('a part of a sound run has no violation, though a job is refused beside a job that ended before the part', () => {
  const log = new LogBuilder({ jobs: 2, refusals: true })
  log.submit(0, 'early', 16, 10)
  log.allocate(0, 'early', { nodes: '0-15' })
  log.submit(5, 'b', 4, 100)
  log.refuse(5, 'b', 'too-few-nodes', { have: 0, need: 4 })
  log.complete(10, 'early')
  log.allocate(10, 'b', { nodes: '0-3' })
  log.complete(110, 'b')
  log.end(110)
  expect(auditRecords(log.records, sha256).violations).toEqual([])
  const chunks: Array<Uint8Array> = []
  extractWindow(
    () => log.records,
    50,
    110,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  expect(auditLog(chunks, sha256).violations).toEqual([])
})

test('whyNotOfPart exempts the log of a whole run from no invariant', () => {
  const header = givenTwice().records[0]
  if (header.type !== 'header') throw new Error('a log begins with its header')
  for (const { name } of invariants) expect(whyNotOfPart(header, name)).toBeUndefined()
})
