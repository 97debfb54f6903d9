import { readFileSync } from 'node:fs'
import type { Header, LogRecord, Route } from '@cloister/eventlog'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords } from '../src/index.ts'
import { LogBuilder, partition, type RunOptions } from './log-builder.ts'

// 40 jobs on 54 nodes: cloister simulate --trace synth:7:40 --topology radix:6 --policy NAME --router partition
describe.each(['jigsaw', 'laas', 'ta'])('the log of a run of the policy %s with the router partition', (name) => {
  const bytes = readFileSync(new URL(`routed-logs/${name}.ndjson`, import.meta.url))
  const records = [...readLog([bytes], sha256)]

  test('the log with routes has no violation, and routes-paired and routes-inside are tested', () => {
    const report = auditLog([bytes], sha256)
    expect(report.violations).toEqual([])
    expect(report.ok).toBe(true)
    expect(report.checked).toMatchObject({ 'routes-paired': 160, 'routes-inside': 40 })
  })

  test('a log violates routes-inside if a route record has other entries, and state-digest if a seal stands while they count', () => {
    let sealed = 0
    const adds = records.filter((record) => record.type === 'route' && record.undo === undefined)
    adds.forEach(({ seq }, i) => {
      const other = (entries: ReadonlyArray<string>): ReadonlyArray<string> => [
        `${entries[0].split(' ')[0]} ${entries[0].split(' ')[1].replace(/:\d+/, ':5')}`,
        ...entries.slice(1),
      ]
      const changed = records.map((record) =>
        record.type === 'route' && record.seq === seq ? { ...record, entries: other(record.entries!) } : record,
      )
      const { 'state-digest': seals = 0, ...others } = auditRecords(changed, sha256).violationCounts
      expect(others, `add ${i}`).toEqual({ 'routes-inside': 1 })
      sealed += seals
    })
    const isInForce = ({ seq: added }: Route, seal: number): boolean =>
      added < seal && !records.some((each) => each.type === 'route' && each.undo === added && each.seq < seal)
    const seals = records.filter(({ type }) => type === 'seal')
    expect(sealed).toBe(seals.flatMap(({ seq }) => adds.filter((add) => isInForce(add as Route, seq))).length)
  })

  test('a log violates routes-paired without any one of its route records', () => {
    const without = (seq: number): ReadonlyArray<LogRecord> => records.filter((record) => record.seq !== seq)
    for (const { seq } of records.filter(({ type }) => type === 'route')) {
      expect(auditRecords(without(seq), sha256).violationCounts).toHaveProperty('routes-paired')
    }
  })

  test('the tables of a router that the auditor does not know are followed port by port', () => {
    const [header, ...rest] = records
    const { router, ...first } = header as Header
    const report = auditRecords([{ ...first, router: { ...router!, name: 'other' } }, ...rest], sha256)
    expect(report.violations).toEqual([])
    expect(report.checked).toMatchObject({ 'routes-inside': 40 })
  })
})

test.each<[string, RunOptions['router'], string | undefined, ReadonlyArray<string>, string]>([
  ['switches', { ...partition, name: 'other' }, 'a', ['0-4194303 0:0'], 'names switch 4194303'],
  [
    'nodes of a job',
    partition,
    'a',
    Array.from({ length: 2000 }, (_, i) => `${i % 20} 0-4194303:0`),
    'names node 4194303',
  ],
  [
    'nodes of tables of the whole machine',
    { name: 'other', version: '1.0.0', claims: { links: 'shared', changes: 'any' } },
    undefined,
    ['0-3 0-4194303:0'],
    'names node 4194303',
  ],
])(
  'regression: audit hung on a route record that names %s far beyond the machine',
  (_, router, job, entries, message) => {
    const log = new LogBuilder({ jobs: 1, router, claims: { links: 'owned' } })
    log.submit(0, 'a', 2, 10)
    const allocate = log.allocate(0, 'a', { nodes: '0-1' })
    log.route(0, job, entries, allocate)
    log.complete(10, 'a')
    const { violations } = auditRecords(log.end(10).records, sha256)
    expect(violations.find(({ invariant }) => invariant === 'routes-inside')?.message).toContain(message)
  },
)
