import { sha256 } from '@cloister/eventlog/node'
import { describe, expect, test } from 'vitest'
import { auditLog, auditRecords, exitCode, invariants } from '../src/index.ts'
import { brokenContention } from './broken-contention.ts'
import { brokenDisciplines } from './broken-disciplines.ts'
import type { BrokenLog } from './broken-log.ts'
import { brokenLogs } from './broken-logs.ts'

const all = [...brokenLogs, ...brokenDisciplines, ...brokenContention]

function audit({ make, change, asBytes }: BrokenLog, broken: boolean) {
  const log = make(broken)
  if (asBytes === true) return auditLog([log.bytes()], sha256)
  return auditRecords(broken && change !== undefined ? change(log.records) : log.records, sha256)
}

test('the tests have, for every invariant, a log that breaks the invariant', () => {
  const broken = new Set(all.map(({ invariant }) => invariant))
  expect(invariants.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
})

describe.each(all.map((each) => [`${each.invariant}: ${each.what}`, each] as const))('%s', (_, each) => {
  test('the broken log violates only this invariant', () => {
    const report = audit(each, true)
    expect(Object.keys(report.violationCounts), JSON.stringify(report.violations)).toEqual([each.invariant])
    // An audit of bytes ends at the first line that the reader refuses.
    if (each.asBytes !== true) expect(report.checked[each.invariant]).toBeGreaterThan(0)
    expect(report.ok).toBe(false)
    expect(exitCode(report)).toBe(each.asBytes === true ? 2 : 1)
  })

  test('the log without the fault has no violation', () => {
    const report = audit(each, false)
    expect(report.violations).toEqual([])
    expect(report.untestedClaims.map(({ claim }) => claim)).toEqual(each.untested === undefined ? [] : [each.untested])
    expect(report.ok).toBe(each.untested === undefined)
    expect(exitCode(report)).toBe(each.untested === undefined ? 0 : 1)
  })
})
