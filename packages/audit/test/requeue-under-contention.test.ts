import { sha256 } from '@cloister/eventlog/node'
import { expect, it } from 'vitest'
import { auditRecords } from '../src/index.ts'
import { LogBuilder } from './log-builder.ts'

it('the requeue of a killed job may follow the progress records that its release causes', () => {
  const queue = { backfill: 'none', requeue: true } as const
  const log = new LogBuilder({ jobs: 2, runTimes: 'contention', queue })
  const communication = { pattern: 'pairs', share: 500 }
  for (const job of ['a', 'b']) {
    log.put({ seq: log.next, t: 0, type: 'submit', job, size: 2, estimate: 10, communication })
    log.passBecauseOf(0, log.next - 1)
  }
  // Both jobs use the same up-port of a leaf.
  log.allocate(0, 'a', { nodes: '0,4' })
  const start = log.allocate(0, 'b', { nodes: '1,6' })
  for (const job of ['a', 'b']) log.put({ seq: log.next, t: 0, type: 'progress', job, rate: 667, cause: start })
  const down = log.down(3, { nodes: '0,4' })
  log.kill(3, 'a', 'node-down', down)
  const release = log.release(3, 'a')
  log.put({ seq: log.next, t: 3, type: 'progress', job: 'b', rate: 1000, cause: release })
  log.requeue(3, 'a')
  log.complete(10.999, 'b')
  const { violations } = auditRecords(log.end(10.999).records, sha256)
  expect(violations.filter(({ invariant }) => invariant === 'requeues' || invariant === 'node-down-kills')).toEqual([])
})
