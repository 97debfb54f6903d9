import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { hasChromium, Viewer, withoutChromium } from './viewer-page.ts'

const viewer = Viewer.ofTests('file')
/** Machine whose first leaf is called `leaf1`, where a log without names would say `leaf0`. */
const machine = `SwitchName=leaf1 Nodes=cn[1-4]
SwitchName=leaf2 Nodes=cn[5-8]
SwitchName=isw-a Nodes=cn[9-12]
SwitchName=core Switches=leaf1,leaf2,isw-a
`
const outages = '{"t":300,"type":"down","link":"leaf2 -> core"}\n{"t":900,"type":"up","link":"leaf2 -> core"}\n'

describe('names of switches in a log', () => {
  let folder: Folder

  beforeAll(async () => {
    folder = new Folder(afterAll)
    folder.write('topology.conf', machine)
    folder.write('outages.ndjson', outages)
    const run = ['--trace', 'synth:3:60', '--topology', 'slurm:topology.conf', '--policy', 'baseline']
    for (const [name, ...more] of [['run.ndjson'], ['failed.ndjson', '--outages', 'outages.ndjson']]) {
      const made = await folder.cloister('simulate', ...run, '--router', 'd-mod-k', ...more, '--out', name)
      expect(made, made.stderr).toMatchObject({ code: 0 })
    }
  })

  it('a header has the names of a topology.conf, and no such field for a machine without names', async () => {
    const headerOf = (name: string): string => readFileSync(join(folder.path, name), 'utf8').split('\n', 1)[0]
    expect(headerOf('run.ndjson')).toMatch(/"names":"cn\[1-12\]","switch_names":"leaf\[1-2\],isw-a,core"\}$/)
    await folder.log('unnamed.ndjson')
    expect(headerOf('unnamed.ndjson')).not.toContain('names')
  })

  it('state, explain and diff name the switches of the file', async () => {
    const state = await folder.cloister('state', 'failed.ndjson', '--at', '400')
    expect(state.stdout).toMatch(/^down links +leaf2 -> core$/m)
    const table = ['state', 'run.ndjson', '--at', '0', '--routes', '--switch', 'leaf1']
    expect(await folder.json(...table)).toMatchObject({ switch: 'leaf1' })
    const path = await folder.cloister('explain', 'run.ndjson', '--job', '3', '--from', 'cn7', '--to', 'cn11')
    expect(path.stdout).toContain('cn7 → leaf2 → core → isw-a → cn11')
    const difference = await folder.cloister('diff', 'run.ndjson', 'failed.ndjson')
    expect(difference.stdout).toMatch(/^leaf1 +cn\[5-8\] +port 4, to core +no entry$/m)
  })

  it.skipIf(!hasChromium)(
    `the viewer names the switches of the file${hasChromium ? '' : ` (${withoutChromium})`}`,
    async () => {
      const page = await viewer.open(`${await viewer.serve(folder.path, 'run.ndjson')}#t=0`)
      await page.keyboard.press('/')
      await page.keyboard.type('cn1 -> cn11')
      await page.keyboard.press('Enter')
      await page.getByTestId('path').filter({ hasText: 'cn1 → leaf1 → core → isw-a → cn11' }).waitFor()
      expect(viewer.complaints).toEqual([])
      await page.close()
    },
  )
})
