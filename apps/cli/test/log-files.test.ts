import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSeekableLog } from '@cloister/eventlog/node'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

describe('the index file beside a log', () => {
  it('the index file beside a log hides no byte of the log that was changed after the index file was written', async () => {
    const folder = new Folder()
    await folder.log()
    const path = join(folder.path, 'run.ndjson')
    openSeekableLog(path, { keepIndex: true }).close()
    const bytes = readFileSync(path)
    expect((await folder.cloister('state', 'run.ndjson')).code).toBe(0)
    bytes[Math.floor(bytes.length / 2)] ^= 1
    folder.write('run.ndjson', bytes)
    const { code, stderr } = await folder.cloister('state', 'run.ndjson')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/run\.ndjson is corrupt at byte \d+/) })
  })

  it('a damaged index file of a log is written again, with a remark', async () => {
    const folder = new Folder()
    await folder.log()
    const before = await folder.cloister('state', 'run.ndjson', '--json')
    folder.write('run.ndjson.index', 'damaged')
    const after = await folder.cloister('state', 'run.ndjson', '--json')
    expect(after.stdout).toBe(before.stdout)
    expect(after.stderr).toContain('run.ndjson.index was not used: the index is damaged; the whole log is read')
    expect((await folder.cloister('state', 'run.ndjson', '--json')).stderr).toBe('')
  })
})

describe('a pipe instead of a log', () => {
  it.each([['state'], ['view']])('cloister %s refuses a pipe instead of a log', async (command) => {
    const folder = new Folder()
    if (spawnSync('mkfifo', [join(folder.path, 'pipe')]).status !== 0) return
    const { code, stderr } = await folder.cloister(command, 'pipe')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'cloister: cannot read pipe: a pipe or device cannot be read more than once; write its bytes to a file first\n',
    })
  })
})
