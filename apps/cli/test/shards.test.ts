import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint } from './cloister.ts'
import { attemptsIn } from './killed-workers.ts'

const cells = {
  trace: 'synth:4:40',
  topology: 'radix:6',
  policy: ['jigsaw', 'baseline'],
  scenario: 'random',
  bandwidth: 'classes',
  seed: [5, 1, 4, 2],
}

function experiment(...added: ReadonlyArray<object>): Folder {
  const folder = new Folder()
  folder.write('e.json', JSON.stringify({ cells: [cells, ...added] }))
  return folder
}

const read = (folder: Folder, name: string): string => readFileSync(join(folder.path, name), 'utf8')
const missing = { trace: 'missing.swf', topology: 'radix:6', policy: 'baseline' }
const job = '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n'

describe('shards of a sweep', () => {
  it('shards merge into the same bytes as a sweep in one process, although one shard runs twice and another shard claims cells', async () => {
    const folder = experiment()
    for (const args of [['2/3'], ['2/3'], ['1/3', '--claim'], ['3/3', '--claim']])
      expect((await folder.cloister('sweep', 'e.json', '--shard', ...args)).code).toBe(0)
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({
      cells: 8,
      done: 8,
      running: 0,
      stale: 0,
      failed: 0,
      waiting: 0,
      workers: { atWork: 0, silent: 0, ended: 4 },
      secondsLeft: 0,
    })
    const merged = await folder.cloister('sweep', 'merge', 'e.json')
    expect(merged).toMatchObject({ code: 0, stdout: '8 results in e.results.ndjson\n' })
    await folder.cloister('sweep', 'e.json', '--out', 'one.ndjson', '--workers', '1')
    expect(read(folder, 'e.results.ndjson')).toBe(read(folder, 'one.ndjson'))
    expect(read(folder, 'e.results.times.ndjson').split('\n')).toHaveLength(9)
    expect(read(folder, 'one.times.ndjson').split('\n')).toHaveLength(9)
    const results = read(folder, 'one.ndjson')
    expect(results).not.toContain('microseconds')

    // Checks that `cloister sweep --resume` accepts merged results.
    const resumed = await folder.cloister('sweep', 'e.json', '--resume')
    expect(resumed.stderr).toContain('e.results.ndjson already has 8 results of the experiment')
    expect(resumed.stdout).toMatch(/\d µs/)
    expect(complaint(await folder.cloister('sweep', 'merge', 'e.json'))).toContain('e.results.ndjson exists')
    // Writes results like a sweep in one process before the sorting: in the order in which the runs end.
    folder.write('mixed.ndjson', results.trimEnd().split('\n').reverse().join('\n').concat('\n'))
    await folder.cloister('sweep', 'merge', 'e.json', '--from', 'mixed.ndjson', '--out', 'sorted.ndjson')
    expect(read(folder, 'sorted.ndjson')).toBe(results)
  })

  it('the shards of a sweep have disjoint sets of cells', async () => {
    const folder = experiment()
    const ran = async (shard: string): Promise<number> =>
      ((await folder.json('sweep', 'e.json', '--shard', shard)) as { readonly ran: number }).ran
    expect([await ran('1/3'), await ran('3/3'), await ran('2/3'), await ran('1/1')]).toEqual([3, 2, 3, 0])
    expect(readdirSync(join(folder.path, 'e.sweep/results'))).toHaveLength(3)
  })

  it.each([[[]], [['--claim']]] as ReadonlyArray<[ReadonlyArray<string>]>)(
    'shards report failed cells, and run failed cells again only with --retry (further options: %s)',
    async (claim) => {
      const folder = experiment(missing, { ...missing, topology: 'radix:4' })
      const first = await folder.cloister('sweep', 'e.json', '--shard', '1/1', ...claim)
      expect([first.code, first.stdout]).toEqual([3, expect.stringContaining('shard 1/1: 8 cells run, 2 failed')])
      expect(first.stderr).toContain('failed: missing.swf, radix:6, baseline, easy:50: trace: found "missing.swf"')
      const idle = await folder.cloister('sweep', 'e.json', '--shard', '1/1', ...claim)
      expect([idle.code, idle.stdout]).toEqual([0, expect.stringContaining('shard 1/1: 0 cells run, in')])
      folder.write('e.sweep/failures/garbled.ndjson', '{"cell":\n')
      const status = await folder.cloister('sweep', 'status', 'e.json')
      expect(status.stdout).toMatch(/^done +8, 80\.0 %$/m)
      expect(status.stdout).toMatch(/^failed +2$/m)
      expect(status.stdout).toMatch(/^failed: missing\.swf, radix:6, baseline, easy:50 and 1 more: trace: found /m)
      const merged = await folder.cloister('sweep', 'merge', 'e.json')
      expect([merged.code, merged.stderr]).toEqual([
        3,
        expect.stringMatching(
          /^2 of 10 cells have no result:\n  2 runs, first missing\.swf, radix:6, .*: trace: found /,
        ),
      ])

      const again = await folder.cloister('sweep', 'e.json', '--retry', ...claim)
      expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('0 cells run, 2 failed')])
      folder.write('missing.swf', job)
      const mended = await folder.cloister('sweep', 'e.json', '--retry', ...claim)
      expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining('2 cells run, in')])
      expect((await folder.cloister('sweep', 'merge', 'e.json', '--force')).code).toBe(0)
    },
  )

  it('sweep merge fails with the reasons, and writes no file, if all cells failed', async () => {
    const folder = new Folder()
    folder.write('e.json', JSON.stringify({ cells: [{ ...missing, queue: ['fcfs', 'easy:9'] }] }))
    expect((await folder.cloister('sweep', 'e.json', '--shard', '1/1')).code).toBe(3)
    for (const command of ['merge', 'report']) {
      const { code, stdout, stderr } = await folder.cloister('sweep', command, 'e.json')
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(
        /^cloister: none of the 2 runs has a result\n  2 runs, first missing\.swf, .*fcfs: trace: found "missing\.swf"/,
      )
      expect(stderr).toContain('cloister sweep e.json --retry runs failed cells again')
    }
    expect(existsSync(join(folder.path, 'e.results.ndjson'))).toBe(false)
  })

  it('shards take over the cells of a killed worker, and skip the torn line in the file of the killed worker', async () => {
    const folder = experiment()
    await folder.cloister('sweep', 'e.json', '--claim')
    const [results] = readdirSync(join(folder.path, 'e.sweep/results'))
    const path = join(folder.path, 'e.sweep/results', results)
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.slice(0, 5).join('\n').concat('\n', lines[5].slice(0, 100)))
    const worker = join(folder.path, 'e.sweep/workers', results.replace('.ndjson', '.json'))
    writeFileSync(worker, readFileSync(worker, 'utf8').replace('"ended":true', '"ended":false'))
    const status = (lease: string) => folder.json('sweep', 'status', 'e.json', '--lease', lease)
    expect(await status('80000')).toMatchObject({ done: 5, stale: 3, waiting: 0, workers: { atWork: 1, silent: 0 } })
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(await status('0.1')).toMatchObject({
      done: 5,
      stale: 3,
      workers: { atWork: 0, silent: 1 },
      secondsLeft: null,
    })
    const next = await folder.cloister('sweep', 'e.json', '--claim', '--lease', '0.1')
    expect(next.stdout).toContain('3 cells run')
    expect(attemptsIn(folder).filter((attempt) => attempt === 2)).toHaveLength(3)
    expect((await folder.cloister('sweep', 'merge', 'e.json')).code).toBe(0)
  })

  it('sweep status counts a given-up cell as failed, although the last heartbeat of its killed worker has the cell', async () => {
    const folder = experiment(missing)
    await folder.cloister('sweep', 'e.json', '--shard', '1/1')
    const [failures] = readdirSync(join(folder.path, 'e.sweep/failures'))
    const { cell } = JSON.parse(read(folder, `e.sweep/failures/${failures}`)) as { readonly cell: string }
    const killed = { host: 'h', pid: 1, shard: '1/1', threads: 1, ended: false, running: { [cell]: 0.5 } }
    utimesSync(join(folder.path, folder.write('e.sweep/workers/killed.json', JSON.stringify(killed))), 0, 0)
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({
      done: 8,
      stale: 0,
      failed: 1,
      reasons: [{ cells: 1 }],
    })
  })

  it('sweep --verify runs some cells again, and reports different results', async () => {
    const folder = experiment()
    await folder.cloister('sweep', 'e.json', '--shard', '1/1')
    const equal = await folder.cloister('sweep', 'e.json', '--verify', '30%')
    expect([equal.code, equal.stdout]).toEqual([
      0,
      '3 cells run again, 0 of these on another host than before: all results are equal\n',
    ])
    const [name] = readdirSync(join(folder.path, 'e.sweep/results'))
    const path = join(folder.path, 'e.sweep/results', name)
    const forged = readFileSync(path, 'utf8').replaceAll('"searchBounds":0', '"searchBounds":1')
    writeFileSync(path, forged)
    const differ = await folder.cloister('sweep', 'e.json', '--verify', '1%')
    expect([differ.code, differ.stdout]).toEqual([1, expect.stringContaining('1 cells run again')])
    expect(differ.stderr).toMatch(/^the result of synth:4:40, .* differs from the result of .*: searchBounds$/m)
    expect((await folder.cloister('sweep', 'status', 'e.json')).stdout).toMatch(/^verified +3 equal, 1 different$/m)

    // Adds a second worker with a different result of the same cell.
    const [line] = forged.split('\n')
    writeFileSync(
      join(folder.path, 'e.sweep/results/other.ndjson'),
      `${line.replace('"searchBounds":1', '"searchBounds":2')}\n`,
    )
    const merged = await folder.cloister('sweep', 'merge', 'e.json')
    expect([merged.code, merged.stderr]).toEqual([
      1,
      expect.stringMatching(/^the workers .* have different results of .*: searchBounds$/m),
    ])
    expect(existsSync(join(folder.path, 'e.results.ndjson'))).toBe(false)
  })

  it('shards count results without an audit, and results of another version, as other cells', async () => {
    const folder = experiment()
    await folder.cloister('sweep', 'e.json', '--shard', '1/2', '--no-audit')
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({ done: 0 })
    expect(await folder.json('sweep', 'status', 'e.json', '--no-audit')).toMatchObject({ done: 4 })
    const [name] = readdirSync(join(folder.path, 'e.sweep/results'))
    const path = join(folder.path, 'e.sweep/results', name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"policy":"jigsaw@[^"]*"/g, '"policy":"jigsaw@0.9.0"'))
    expect(await folder.json('sweep', 'status', 'e.json', '--no-audit')).toMatchObject({ done: 2 })
  })

  it('shards of a sweep refuse wrong options and files with a message', async () => {
    const folder = experiment()
    const said = async (...args: ReadonlyArray<string>) => complaint(await folder.cloister('sweep', ...args))
    expect(await said('merge', 'e.json')).toContain(
      'e.sweep: the folder has no results of shards; cloister sweep EXPERIMENT',
    )
    expect(await said('status', 'e.json')).toContain('e.sweep: the folder has no results of shards')
    expect(await said('e.json', '--verify', '5')).toContain('--verify: found "5", expected a percentage')
    expect(await said('e.json', '--lease', '0')).toContain('--lease: found 0, expected seconds from 0.1')
    expect(await said('e.json', '--shard', '1/2', '--force')).toContain('--force and --shard exclude each other')
    expect(existsSync(join(folder.path, 'e.sweep'))).toBe(false)
    await folder.cloister('sweep', 'e.json', '--shard', '1/8')
    const [name] = readdirSync(join(folder.path, 'e.sweep/results'))
    appendFileSync(join(folder.path, 'e.sweep/results', name), '{"no":"result"}\n')
    expect(await said('merge', 'e.json')).toContain(`${name}, line 2: found`)
    rmSync(join(folder.path, 'e.sweep'), { recursive: true })
  })

  it('shards of a sweep take number and count of the shard from the variables of a batch system', async () => {
    const folder = experiment()
    const { code, stdout, stderr } = await folder.cloisterWith(
      { SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_MIN: '7', SLURM_ARRAY_TASK_COUNT: '8' },
      'sweep',
      'e.json',
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('shard 1/8: 1 cells run')])
    expect(stderr).toContain('this process runs shard 1/8, by SLURM_ARRAY_TASK_ID')
    const none = await folder.cloisterWith({ PMI_RANK: '0', PMI_SIZE: '2' }, 'sweep', 'e.json', '--shard', 'none')
    expect(none.stdout).toContain('8 results in e.results.ndjson')
  })
})
