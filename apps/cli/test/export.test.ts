import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint } from './cloister.ts'

describe('export --to opensm', () => {
  it('export --to opensm writes the files for OpenSM and ibsim, and refuses to overwrite them', async () => {
    const folder = new Folder()
    const log = await folder.log()
    const export_ = ['export', log, '--to', 'opensm', '--at', '3600', '--out', 'fabric'] as const
    expect(await folder.json(...export_)).toMatchObject({
      scheme: 'partition',
      files: ['ibsim.net', 'guid2lid', 'lfts', 'partitions.conf'].map((name) => join('fabric', name)),
    })
    expect(readFileSync(join(folder.path, 'fabric', 'lfts'), 'utf8')).toMatch(/^Unicast lids/m)
    expect(complaint(await folder.cloister(...export_))).toContain('ibsim.net exists; --force overwrites it')
    expect((await folder.cloister(...export_, '--force')).code).toBe(0)
  })

  it('export refuses an unknown value of --to, and names the formats', async () => {
    const folder = new Folder()
    expect(
      complaint(await folder.cloister('export', await folder.log(), '--to', 'opensn', '--out', 'fabric')),
    ).toContain('opensm')
  })
})
