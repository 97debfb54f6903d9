import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

describe('cloister interference', () => {
  it('interference prints the speed-ups in the paper of Pollard et al. beside the speed-ups on a drawn machine', async () => {
    const folder = new Folder()
    const { code, stdout, stderr } = await folder.cloister(
      'interference',
      '--model',
      'snapshot',
      '--workloads',
      '1',
      '--seed',
      '3',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/Cab, all sizes +all-to-all +1\.55 +1\.\d\d/)
    expect(stdout).toMatch(/no job under TA is slowed by another job: Cab, all sizes +holds/)
    expect(stderr).toMatch(/^Cab, all sizes: 1 of 1 workloads\naudit: 5 runs audited, no violation\n$/)
  })

  it('interference keeps the log of each run, and the audits of the logs find no violation', async () => {
    const folder = new Folder()
    const { code } = await folder.cloister(
      'interference',
      '--model',
      'snapshot',
      '--workloads',
      '1',
      '--keep-logs',
      'logs',
    )
    expect(code).toBe(0)
    const logs = readdirSync(join(folder.path, 'logs'))
    // One run under TA, and one run for each of the four placements without isolation.
    expect(logs).toHaveLength(5)
    const audited = await folder.cloister('audit', ...logs.map((file) => `logs/${file}`))
    expect(audited.code).toBe(0)
  })

  it.each([
    ['workloads', '0', 1],
    ['seed', '-1', 0],
    ['step', '0', 1],
  ])('interference refuses a wrong value of --%s, and prints the allowed values', async (option, value, least) => {
    const answer = await new Folder().cloister('interference', `--${option}=${value}`)
    expect(complaint(answer)).toContain(`found ${value}, expected at least ${least}`)
  })
})
