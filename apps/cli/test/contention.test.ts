import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

const run = [
  'simulate',
  '--trace=synth:12:200:3',
  '--topology=radix:8',
  '--communication=100%:all-to-all:60%',
  '--run-times=contention',
  '--overrun=run-on',
]

describe('run times under contention', () => {
  it('run times under contention in a log are accepted by audit, metrics, explain and rerun', async () => {
    const folder = new Folder()
    expect((await folder.cloister(...run, '--policy=baseline', '--out=shared.ndjson')).code).toBe(0)
    expect((await folder.cloister(...run, '--policy=jigsaw', '--out=own.ndjson')).code).toBe(0)
    for (const log of ['shared.ndjson', 'own.ndjson']) {
      expect((await folder.cloister('audit', log)).stdout).toMatch(/progress-rates +\d/)
      expect((await folder.cloister('rerun', log)).code).toBe(0)
    }
    const { stdout } = await folder.cloister('metrics', 'shared.ndjson', 'own.ndjson')
    expect(stdout).toMatch(/slowdown by contention, mean +1\.[1-9]\d* +1\.00?/)
    expect(await folder.json('metrics', 'own.ndjson')).toMatchObject({ contention: { mean: 1, max: 1, slowed: 0 } })

    // First job of the log that another job slows down.
    const slowed = /"type":"progress","job":"(\d+)"/.exec(readFileSync(join(folder.path, 'shared.ndjson'), 'utf8'))![1]
    const explained = (await folder.cloister('explain', 'shared.ndjson', `--job=${slowed}`)).stdout
    expect(explained).toMatch(
      /Slowdowns of the running job:\nrecord +t +rate +because\n[ -]+\n *\d+ +\d+ +\d+\.\d % +start of job \d+/,
    )
    expect((await folder.cloister('explain', 'own.ndjson', `--job=${slowed}`)).stdout).not.toContain('slowed')
  })
})
