import { readFileSync } from 'node:fs'
import type { Header, LogRecord, Route } from '@cloister/eventlog'
import { readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords } from '../src/index.ts'

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

  test('a log violates only routes-inside if a route record has the digest of another job', () => {
    const adds = records.filter((record): record is Route => record.type === 'route' && record.op === 'add')
    adds.forEach(({ job, digest }, i) => {
      const other = adds.find((each) => each.digest !== digest && each.job !== job)!.digest
      const changed = records.map((record) =>
        record.type === 'route' && record.job === job ? { ...record, digest: other } : record,
      )
      expect(auditRecords(changed, sha256).violationCounts, `add ${i}`).toEqual({ 'routes-inside': 1 })
    })
  })

  test('a log violates routes-paired without any one of its route records', () => {
    const without = (seq: number): ReadonlyArray<LogRecord> => records.filter((record) => record.seq !== seq)
    for (const { seq } of records.filter(({ type }) => type === 'route')) {
      expect(auditRecords(without(seq), sha256).violationCounts).toHaveProperty('routes-paired')
    }
  })

  test('routes-inside is not applicable if the header has an unknown router', () => {
    const [header, ...rest] = records
    const first = header as Header
    const other = rest.map((record) => (record.type === 'route' ? { ...record, scheme: 'other' } : record))
    const report = auditRecords([{ ...first, options: { ...first.options, router: 'other' } }, ...other], sha256)
    expect(report.violations).toEqual([])
    expect(report.notApplicable['routes-inside']).toBe('this auditor knows only the router partition (router: other)')
  })
})
