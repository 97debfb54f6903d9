import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn } from './cloister.ts'

describe('diff', () => {
  it('diff reports that a log and a copy of the log are equal, compressed or not', async () => {
    const folder = new Folder()
    await folder.log('a.ndjson')
    await folder.log('b.ndjson.zst')
    const { code, stdout } = await folder.cloister('diff', 'a.ndjson', 'b.ndjson.zst')
    expect(stdout).toMatch(/^the logs are +equal to the byte$/m)
    expect(code).toBe(0)
  })

  it('diff shows the first different decision of two policies, and the jobs that wait longer', async () => {
    const folder = new Folder()
    await folder.log('baseline.ndjson', 'baseline')
    await folder.log('jigsaw.ndjson')
    const { code, stdout } = await folder.cloister('diff', 'baseline.ndjson', 'jigsaw.ndjson')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^the logs are +different$/m)
    expect(stdout).toMatch(/^header +different policy$/m)
    expect(stdout).toMatch(/^ {2}in a +\{"seq":\d+,.*"type":"allocate"/m)
    expect(stdout).toMatch(/^waits in b {8}\d+ shorter, \d+ the same, [1-9]\d* longer$/m)
    const result = JSON.parse(
      (await folder.cloister('diff', 'baseline.ndjson', 'jigsaw.ndjson', '--json', '--top', '3')).stdout,
    ) as { losers: ReadonlyArray<{ change: number }> }
    expect(namesIn(result)).toMatchObject({
      a: 'string',
      b: 'string',
      equal: 'string',
      divergence: { t: 'number' },
      change: { mean: 'number', median: 'number', least: 'number', most: 'number' },
    })
    expect(result.losers).toHaveLength(3)
    expect(result.losers[0].change).toBeGreaterThanOrEqual(result.losers[2].change)
  })

  it('diff prints a remark if the two logs have different jobs, or a log is incomplete', async () => {
    const folder = new Folder()
    await folder.log('a.ndjson')
    await folder.cloister(
      'simulate',
      '--trace',
      'synth:4:200',
      '--topology',
      'radix:6',
      '--policy',
      'jigsaw',
      '--out',
      'other.ndjson',
    )
    expect((await folder.cloister('diff', 'a.ndjson', 'other.ndjson')).stderr).toContain(
      'different jobs: synth:4:300 (300 jobs) and synth:4:200 (200 jobs)',
    )
    const text = readFileSync(join(folder.path, 'a.ndjson'), 'utf8')
    folder.write('torn.ndjson', text.slice(0, -30))
    const { code, stderr } = await folder.cloister('diff', 'torn.ndjson', 'torn.ndjson')
    expect(stderr).toContain('torn.ndjson: torn')
    expect(code).toBe(3)
    folder.write('corrupt.ndjson', text.replace('"size":', '"Size":'))
    expect(complaint(await folder.cloister('diff', 'a.ndjson', 'corrupt.ndjson'))).toContain('corrupt at byte')
  })
})
