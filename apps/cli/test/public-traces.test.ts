import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
/** Job logs as they are published, whatever preset they may be of. */
const logs = ['swf', 'alcf-samples']
  .map((name) => join(folder, name))
  .filter((each) => existsSync(each))
  .flatMap((each) => readdirSync(each).map((name) => join(each, name)))
if (logs.length === 0) console.warn(`tests on public logs are skipped: there is none in ${folder}`)

describe.skipIf(logs.length === 0)('trace info', () => {
  it.each(logs)('describes %s', async (log) => {
    const info = (await new Folder().json('trace', 'info', log)) as Record<string, unknown>
    const { jobs, read, skipped, badLines } = info as { jobs: number; read: number; skipped: object; badLines: number }
    expect(jobs).toBeGreaterThan(0)
    expect(jobs + Object.values(skipped).reduce((sum: number, each) => sum + each, 0)).toBe(read)
    expect(badLines).toBe(0)
  })

  it('takes processors of a node from the header, and says so', async () => {
    const named = (name: string): string => logs.find((log) => log.includes(name))!
    const info = await new Folder().cloister('trace', 'info', named('Thunder'))
    expect(info.stderr).toContain('4 processors taken for a node, as MaxProcs and MaxNodes of the header say')
    expect(info.stdout).toMatch(/^filter +size=requested\/4$/m)
    const curie = await new Folder().cloister('trace', 'info', named('Curie'))
    expect(curie.stderr).toContain('has nodes of several sizes: --procs-per-node')
  })
})
