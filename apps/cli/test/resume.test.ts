import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, small } from './cloister.ts'

const outages = '{"t":900,"type":"down","nodes":"5-7"}\n{"t":4000,"type":"up","nodes":"5-7"}\n'
const runs = {
  plain: [...small, '--policy', 'jigsaw'],
  eventful: [
    ...small,
    '--policy',
    'ta',
    '--outages',
    'outages.ndjson',
    '--requeue',
    '--refusals',
    '--router',
    'partition',
    '--queue',
    'easy:9',
    '--order',
    'fair-share',
  ],
} as const

async function begun(
  run: ReadonlyArray<string>,
  name: string,
): Promise<{ readonly folder: Folder; readonly path: string; readonly whole: Buffer }> {
  const folder = new Folder()
  folder.write('outages.ndjson', outages)
  const answer = await folder.cloister('simulate', ...run, '--out', name)
  expect(answer.code).toBe(0)
  const path = join(folder.path, name)
  return { folder, path, whole: readFileSync(path) }
}

describe('simulate --resume', () => {
  it.each([
    [runs.plain, 'run.ndjson'],
    [runs.plain, 'run.ndjson.zst'],
    [runs.eventful, 'run.ndjson'],
    [runs.eventful, 'run.ndjson.zst'],
  ])(
    '--resume completes a log cut off at any byte to the whole log, for the options %s and the file %s',
    async (run, name) => {
      const { folder, path, whole } = await begun(run, name)
      for (const length of [whole.length - 1, ...fc.sample(fc.nat(whole.length - 1), 2)]) {
        writeFileSync(path, whole.subarray(0, length))
        const { code, stderr } = await folder.cloister('simulate', ...run, '--out', name, '--resume')
        expect(code, `cut at byte ${length}: ${stderr}`).toBe(0)
        expect(stderr).toMatch(
          /^run\.ndjson\S* (was (torn|not finished): .*; the missing records were added|had no whole record; the log was written from the start)$/m,
        )
        expect(readFileSync(path).equals(whole), `cut at byte ${length}`).toBe(true)
      }
    },
  )

  it('simulate --resume reports that a whole log is complete, and writes a missing log', async () => {
    const { folder, path, whole } = await begun(runs.plain, 'run.ndjson')
    const again = await folder.cloister('simulate', ...runs.plain, '--out', 'run.ndjson', '--resume')
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('run.ndjson was already the complete log of this run; no record was added')
    expect(readFileSync(path).equals(whole)).toBe(true)
    expect(await folder.json('simulate', ...runs.plain, '--out', 'new.ndjson', '--resume')).toMatchObject({
      log: { bytes: whole.length },
      resumed: { status: 'torn', records: 0, bytes: 0 },
    })
    expect(readFileSync(join(folder.path, 'new.ndjson')).equals(whole)).toBe(true)
  })

  it('simulate --resume refuses the log of another run and a corrupt log, and changes neither log', async () => {
    const { folder, path, whole } = await begun(runs.plain, 'run.ndjson')
    const refused = async (bytes: Uint8Array, ...args: ReadonlyArray<string>): Promise<string> => {
      writeFileSync(path, bytes)
      const message = complaint(await folder.cloister('simulate', ...args, '--out', 'run.ndjson', '--resume'))
      expect(readFileSync(path).equals(bytes)).toBe(true)
      expect(existsSync(`${path}.lock`)).toBe(false)
      return message
    }
    const part = whole.subarray(0, 70_000)
    expect(await refused(part, ...small, '--policy', 'baseline')).toContain(
      'record 0, at byte 0, differs: policy.name is "jigsaw" there, "baseline" here',
    )
    expect(await refused(part, ...runs.plain, '--window-order', 'largest')).toContain(
      'record 0, at byte 0, differs: options.windowOrder is absent there, "largest" here',
    )
    expect(await refused(part, ...runs.plain, '--outages', 'outages.ndjson')).toMatch(
      /record \d+, at byte \d+, differs: /,
    )
    const damaged = Buffer.from(part)
    damaged[30_000] ^= 4
    expect(await refused(damaged, ...runs.plain)).toMatch(/which is unchanged: corrupt at byte \d+, line \d+: /)
  })

  it('simulate --resume is refused with --force, and without --out', async () => {
    const folder = new Folder()
    expect(
      complaint(await folder.cloister('simulate', ...runs.plain, '--out', 'run.ndjson', '--resume', '--force')),
    ).toContain('--force overwrites a log, --resume completes a log')
    expect(complaint(await folder.cloister('simulate', ...runs.plain, '--resume'))).toContain(
      'needs --out FILE, the log to complete',
    )
    await folder.log()
    expect(complaint(await folder.cloister('simulate', ...runs.plain, '--out', 'run.ndjson'))).toContain(
      '--resume completes an interrupted log',
    )
  })
})
