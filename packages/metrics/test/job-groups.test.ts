import type { LogRecord } from '@cloister/eventlog'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeMetrics, type GroupMetrics, MetricsFold } from '../src/index.ts'
import { randomLog } from './random-log.ts'

function groupsOf(records: Iterable<LogRecord>): ReadonlyArray<GroupMetrics> {
  const fold = new MetricsFold({ by: 'account' })
  for (const record of records) fold.add(record)
  return fold.groups()
}

const labelled = (
  log: ReadonlyArray<LogRecord>,
  label: (job: string) => string | undefined,
): ReadonlyArray<LogRecord> =>
  log.map((record) => {
    const account = record.type === 'submit' ? label(record.job) : undefined
    return account === undefined ? record : { ...record, account }
  })

test('the figures of a single group of all jobs equal the metrics of the run', () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const { jobs, wait, turnaround, slowdown } = computeMetrics(log)
      const groups = groupsOf(labelled(log, () => 'physics'))
      if (jobs.submitted === 0) {
        expect(groups).toEqual([])
        return
      }
      const { rejected: _, ...counts } = jobs
      const { bySize: __, ...waits } = wait
      expect(groups).toMatchObject([
        { group: 'physics', jobs: counts, wait: waits, turnaround: turnaround.mean, slowdown: slowdown.bounded },
      ])
    }),
    { numRuns: 100 },
  )
})

test('a group of jobs has the same figures if all other jobs form one other group, and the shares of all groups sum to 1', () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const all = groupsOf(labelled(log, (job) => ['a', 'b', undefined][Number(job) % 3]))
      for (const group of all) {
        const kept = groupsOf(labelled(log, (job) => (['a', 'b', null][Number(job) % 3] === group.group ? 'x' : 'y')))
        expect(kept.find((each) => each.group === 'x')).toEqual({ ...group, group: 'x' })
      }
      expect(all.map(({ nodeHours }) => nodeHours)).toEqual(all.map(({ nodeHours }) => nodeHours).sort((a, b) => b - a))
      const ran = all.some(({ nodeHours }) => nodeHours > 0)
      if (ran) expect(all.reduce((sum, { share }) => sum + share!, 0)).toBeCloseTo(1, 9)
    }),
    { numRuns: 50 },
  )
})

test('the node-hours of a group of jobs count all runs of each job until the last record', () => {
  const [header] = fc.sample(randomLog, { numRuns: 1, seed: 1 })[0]
  const records = [
    { t: 0, type: 'submit', job: 'a', size: 2, account: 'x' },
    { t: 0, type: 'allocate', job: 'a', nodes: '0-1', cause: 1 },
    { t: 1800, type: 'kill', job: 'a', code: 'node-down', cause: 2 },
    { t: 1800, type: 'release', job: 'a', cause: 3 },
    { t: 1800, type: 'requeue', job: 'a', cause: 3 },
    { t: 3600, type: 'allocate', job: 'a', nodes: '0-1', cause: 1 },
    { t: 5400, type: 'submit', job: 'b', size: 1 },
  ].map((record, at) => ({ seq: at + 1, ...record }) as LogRecord)
  expect(groupsOf([header, ...records]).map(({ group, nodeHours, share }) => [group, nodeHours, share])).toEqual([
    ['x', 2, 1],
    [null, 0, 0],
  ])
})
