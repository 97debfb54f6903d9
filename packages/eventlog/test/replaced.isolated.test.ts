import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { openSeekableLog } from '../src/node/index.ts'
import { sampleHeader, topologies, writeLog } from './sample-logs.ts'

/** Called before each read of a file. */
const disk = vi.hoisted(() => ({ beforeRead: (): void => {} }))

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  return {
    ...fs,
    readSync: (...given: Parameters<typeof fs.readSync>) => {
      disk.beforeRead()
      return fs.readSync(...given)
    },
  }
})

const folder = mkdtempSync(join(tmpdir(), 'cloister-replaced-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('openSeekableLog reports a log that is replaced during the reading as replaced, not as a log that ended early', () => {
  const path = join(folder, 'run.ndjson')
  const log = writeLog(
    sampleHeader({ seal_every: 8 }),
    topologies[0],
    Array.from({ length: 4000 }, (_, at) => (to) => to.record({ type: 'submit', t: at, job: `job${at}`, size: 1 })),
  )
  const other = Buffer.from(Buffer.from(log).toString('latin1').replaceAll('"size":1', '"size":2'), 'latin1')
  for (const length of [20_000, other.length]) {
    writeFileSync(path, log)
    let reads = 0
    disk.beforeRead = () => {
      if (++reads === 3) writeFileSync(path, other.subarray(0, length))
    }
    expect(() => openSeekableLog(path)).toThrow(`${path} was replaced while it was read; read the file again`)
    disk.beforeRead = () => {}
  }
})
