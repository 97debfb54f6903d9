import { extractWindow } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { expect, test } from 'vitest'
import { auditLog, invariants } from '../src/index.ts'
import { whyNotOfPart } from '../src/invariant.ts'
import { LogBuilder } from './log-builder.ts'

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

test('auditLog of a part of a run tests node-exclusive, but not workload-count and causes', () => {
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
  for (const invariant of ['workload-count', 'totals', 'causes']) expect(violationCounts).not.toHaveProperty(invariant)
  expect(notApplicable).toMatchObject({
    'workload-count': 'the header counts the jobs of the whole run (a part of a run: 50 s to 150 s)',
  })
})

test('whyNotOfPart exempts the log of a whole run from no invariant', () => {
  const header = givenTwice().records[0]
  if (header.type !== 'header') throw new Error('a log begins with its header')
  for (const { name } of invariants) expect(whyNotOfPart(header, name)).toBeUndefined()
})
