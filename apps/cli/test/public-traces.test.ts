import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
/** Files of the public job logs of presets in the folder of traces. */
const logs = ['swf', 'alcf-samples']
  .map((name) => join(folder, name))
  .filter((each) => existsSync(each))
  .flatMap((each) => readdirSync(each).map((name) => join(each, name)))
if (logs.length === 0) console.warn(`tests on public logs are skipped: there is none in ${folder}`)

/** Expected processors per node, filter and remark for public job logs whose header describes the nodes. */
const nodeProcs: Readonly<
  Record<string, { readonly nodeProcs: unknown; readonly filter: string; readonly said: string }>
> = {
  Thunder: {
    nodeProcs: 4,
    filter: 'size=requested/4',
    said: '4 processors count as a node, by MaxProcs and MaxNodes in the header of the trace',
  },
  Curie: { nodeProcs: 'uneven', filter: '', said: 'has nodes of several sizes; --procs-per-node' },
}

describe.skipIf(logs.length === 0)('trace info', () => {
  it.each(logs)(
    'trace info describes the job log %s, and prints a remark if several processors count as a node',
    async (log) => {
      const { code, stdout, stderr } = await new Folder().cloister('trace', 'info', log, '--json')
      expect(code).toBe(0)
      const info = JSON.parse(stdout) as {
        jobs: number
        read: number
        skipped: Record<string, number>
        badLines: number
      }
      expect(info.jobs).toBeGreaterThan(0)
      expect(info.jobs + Object.values(info.skipped).reduce((sum, each) => sum + each, 0)).toBe(info.read)
      expect(info.badLines).toBe(0)
      const machine = Object.keys(nodeProcs).find((name) => log.includes(name))
      if (machine === undefined) return
      const { said, ...expected } = nodeProcs[machine]
      expect(info).toMatchObject(expected)
      expect(stderr).toContain(said)
    },
  )
})
