import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, small } from './cloister.ts'

interface Record {
  readonly type: string
  readonly [field: string]: unknown
}

function records(folder: Folder, name: string): ReadonlyArray<Record> {
  return readFileSync(join(folder.path, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record)
}
const submits = (log: ReadonlyArray<Record>): ReadonlyArray<Record> => log.filter(({ type }) => type === 'submit')

describe('simulate --scenario', () => {
  it('--scenario shortens jobs under a policy that isolates jobs; the header has the checksum of the unchanged workload', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--out', 'plain.ndjson')
    const answer = await folder.cloister(
      'simulate',
      ...small,
      '--policy',
      'jigsaw',
      '--scenario',
      '20.0%',
      '--out',
      'faster.ndjson',
    )
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    const [plain, faster] = [records(folder, 'plain.ndjson'), records(folder, 'faster.ndjson')]
    const { submits_sha256: checksum, ...workload } = plain[0]['workload'] as { readonly submits_sha256: string }
    expect(faster[0]).toMatchObject({ options: { scenario: '20%' }, workload })
    // Submit records have estimates, which become shorter with the run times.
    expect(faster[0]['workload']).not.toMatchObject({ submits_sha256: checksum })
    expect(submits(faster).map(({ estimate }) => estimate)).toEqual(
      submits(plain).map(({ size, estimate }) =>
        (size as number) > 4 ? Math.round((estimate as number) * 800) / 1000 : estimate,
      ),
    )
    expect((await folder.cloister('audit', 'faster.ndjson')).code).toBe(0)
  })

  it('--scenario leaves jobs unchanged under a policy without a claim of speed-up, and prints a remark', async () => {
    const folder = new Folder()
    await folder.cloister('simulate', ...small, '--policy', 'baseline', '--out', 'plain.ndjson')
    const { stderr } = await folder.cloister(
      'simulate',
      ...small,
      '--policy',
      'baseline',
      '--scenario',
      'v2',
      '--out',
      'v2.ndjson',
    )
    expect(stderr).toContain('--scenario has no effect: baseline claims no speed-up')
    expect(records(folder, 'v2.ndjson')).toEqual(records(folder, 'plain.ndjson'))
  })

  it('--scenario random draws speed-ups by --seed', async () => {
    const folder = new Folder()
    const run = async (seed: string, out: string): Promise<ReadonlyArray<Record>> => {
      await folder.cloister(
        'simulate',
        ...small,
        '--policy',
        'jigsaw',
        '--scenario',
        'v1',
        '--bandwidth',
        'classes',
        '--seed',
        seed,
        '--out',
        out,
      )
      return submits(records(folder, out))
    }
    const [one, again, two] = [await run('1', 'a.ndjson'), await run('1', 'b.ndjson'), await run('2', 'c.ndjson')]
    expect(again).toEqual(one)
    expect(two).not.toEqual(one)
    expect([...new Set(one.map(({ bandwidth }) => bandwidth as number))].sort((a, b) => a - b)).toEqual([
      500, 1000, 1500, 2000,
    ])
    expect(records(folder, 'a.ndjson')[0]).toMatchObject({ options: { scenario: 'v1', bandwidth: 'classes' } })
  })

  it('simulate refuses an unknown --scenario, and prints the allowed values', async () => {
    const folder = new Folder()
    expect(complaint(await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--scenario', 'V3'))).toContain(
      '--scenario: found "V3", expected none, v1, v2, v2-by-class, random, 10% for jobs of more than 4 nodes, or all:10% for every job',
    )
    expect(
      complaint(await folder.cloister('simulate', ...small, '--policy', 'jigsaw', '--bandwidth', '500')),
    ).toContain('bandwidth')
  })
})
