import { whatIsMissing } from '@cloister/slurm-cluster'
import { describe, expect, it } from 'vitest'
import { soak } from '../src/soak.ts'

// Slurm waits minutes before some jobs run again, so the test is not among the tests of every change.
const isAsked = process.env['CLOISTER_SOAK'] !== undefined
const missing = isAsked ? whatIsMissing() : 'CLOISTER_SOAK=short runs a soak of about three minutes'

describe.skipIf(missing !== undefined)(`soak${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  it('a short soak has no findings: 20 jobs and some disturbances of controllers, Slurm and nodes', async () => {
    const report = await soak({ minutes: 10, jobs: 20, seed: 347, jobsAMinute: 40, calm: 5, slack: 3 })
    expect(report.findings).toEqual([])
    expect(report.fates['driven']).toBeGreaterThan(0)
    expect(Object.keys(report.faults).length).toBeGreaterThan(1)
    expect(report.looks.metrics).toBeGreaterThan(0)
  }, 3_600_000)
})
