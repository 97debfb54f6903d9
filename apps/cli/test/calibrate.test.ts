import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

/** Jobs in SWF: submission, wait and run time in s, nodes, requested time. Job 2 waited although the machine was idle. */
const jobs = [
  [0, 10, 100, 4, 200],
  [20, 400, 50, 2, 100],
  [30, 90, 60, 8, 60],
  [500, 0, 100, 3, 100],
] as const
const swf = jobs
  .map(([submit, wait, runTime, nodes, asked], at) =>
    [at + 1, submit, wait, runTime, nodes, -1, -1, nodes, asked, -1, 1, 1 + (at % 2), 1, -1, 3, -1, -1, -1].join(' '),
  )
  .join('\n')

const wfp = join(import.meta.dirname, '../../../packages/ordering/kits/python/wfp.py')
const hasPython = spawnSync('python3', ['--version']).status === 0
const MACHINE = ['--topology', 'pgft:2;4,2;1,4;1,1']

describe('cloister calibrate', () => {
  let folder: Folder
  const calibrate = (...args: ReadonlyArray<string>) => folder.cloister('calibrate', 'a.swf', ...MACHINE, ...args)
  beforeAll(() => {
    folder = new Folder(afterAll)
    folder.write('a.swf', `; UnixStartTime: 1000000000\n${swf}\n`)
  })

  it('calibrate compares each candidate with the recorded waits', async () => {
    const { code, stdout } = await calibrate('--candidates', 'fcfs easy:50/wfp fcfs/recorded', '--json')
    expect(code).toBe(0)
    const { candidates, unexplained } = JSON.parse(stdout)
    // Under fcfs the jobs start at 0, 20, 100 and 500 s; recorded waits are 10, 400, 90 and 0 s.
    expect(candidates[0]).toMatchObject({
      candidate: 'fcfs',
      jobs: 4,
      recorded: { mean: 125, median: 50 },
      simulated: { mean: 17.5, median: 0 },
      meanAbsoluteError: (10 + 400 + 20 + 0) / 4,
      withinFiveMinutes: 0.75,
    })
    // Under recorded, job 2 has the turn after job 3, which starts at 100 s and ends at 160 s.
    expect(candidates[2]).toMatchObject({ order: 'recorded', meanAbsoluteError: (10 + 260 + 20) / 4 })
    expect(unexplained).toMatchObject({ waited: { jobs: 1 }, besideIdleNodes: { jobs: 0 }, mostNodes: 8, leftOut: 0 })
  })

  it.skipIf(!hasPython)('calibrate takes orders that are programs, with spaces in their commands', async () => {
    const program = `easy:50/exec:python3 ${wfp}`
    const lists = ['--candidates', `fcfs  ${program}`, '--candidates', ` ${program} `, '--candidates', 'easy:50/wfp']
    const { candidates } = JSON.parse((await calibrate(...lists, '--json')).stdout)
    expect(candidates.map(({ candidate }: any) => candidate)).toEqual(['fcfs', program, program, 'easy:50/wfp'])
    const nameless = { candidate: '', order: '' }
    const [, ...fits] = candidates.map((fit: object) => ({ ...fit, ...nameless }))
    expect(fits).toEqual([fits[2], fits[2], fits[2]])
  })

  it.each([
    ['size', ['1', '2', '3-4', '5-8'], 3],
    ['queue', ['3'], 1],
    ['user', ['2', '1'], 2],
    ['month', ['2001-09'], 1],
  ] as const)('calibrate --by %s has a row for each group', async (by, names, most) => {
    const { groups } = JSON.parse((await calibrate('--candidates', 'fcfs', '--by', by, '--json')).stdout)
    expect(groups).toHaveLength(most)
    for (const { group, simulated } of groups) {
      expect(names).toContain(group)
      expect(simulated).toHaveLength(1)
    }
  })

  it('calibrate prints tables, and draws the distributions of the waits', async () => {
    const { code, stdout } = await calibrate('--by', 'user', '--out', 'waits.svg')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^a: 4 jobs on .* \(8 nodes\), baseline@/)
    expect(stdout).toMatch(/^fcfs\/recorded +4 +0\.0/m)
    expect(stdout).toMatch(/^user +jobs +recorded wait, h/m)
    expect(stdout).toContain('The trace does not say which nodes were down.')
    expect(readFileSync(join(folder.path, 'waits.svg'), 'utf8')).toContain('conservative:50')
    expect(complaint(await calibrate('--out', 'waits.svg'))).toContain('waits.svg')
  })

  it('the log of a simulation keeps the recorded waits, metrics compares them, and explain tells turn and nodes apart', async () => {
    const simulate = ['simulate', '--trace', 'a.swf', ...MACHINE, '--policy', 'baseline', '--queue', 'fcfs']
    expect((await folder.cloister(...simulate, '--order', 'recorded', '--out', 'run.ndjson')).code).toBe(0)
    const { stdout } = await folder.cloister('metrics', 'run.ndjson')
    expect(stdout).toMatch(/history: wait, mean +125/)
    expect(stdout).toMatch(/history: rank correlation/)
    expect((await folder.cloister('audit', 'run.ndjson', '--rerun', '--trace', 'a.swf')).code).toBe(0)
    const explained = await folder.cloister('explain', 'run.ndjson', '--job', '2')
    expect(explained.stdout).toMatch(/turn +waited 80 s for its turn, .* and 60 s for nodes/)
    const repeated = await folder.cloister('rerun', 'run.ndjson')
    expect(repeated.code).toBe(0)
  })

  it('calibrate names jobs that asked for GPUs, and does not count nodes that are down as idle', async () => {
    const of = (id: number, submit: number, start: number, end: number, nodes: string, size: number, gpus: string) =>
      [id, ...[submit, submit, start, end].map((time) => 1_700_000_000 + time), size, 'COMPLETED', nodes, gpus].join(
        '|',
      )
    const accounting = [
      'JobID|Submit|Eligible|Start|End|NNodes|State|NodeList|AllocTRES',
      of(1, 0, 0, 100, 'node[0-1]', 2, 'cpu=2'),
      of(2, 10, 2000, 2100, 'node[0-2]', 3, 'cpu=3,gres/gpu=3'),
      of(3, 20, 3000, 3100, 'node[0-6]', 7, 'cpu=7'),
      of(4, 20, 20, 4000, 'node7', 1, 'cpu=8'),
    ]
    folder.write('gpus.psv', `${accounting.join('\n')}\n`)
    folder.write(
      'outages.ndjson',
      [
        { t: 0, type: 'down', nodes: '5' },
        { t: 1000, type: 'down', nodes: '6' },
        { t: 2900, type: 'up', nodes: '5-6' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
    const fcfs = [...MACHINE, '--candidates', 'fcfs']
    const { unexplained } = JSON.parse((await folder.cloister('calibrate', 'gpus.psv', ...fcfs, '--json')).stdout)
    expect(unexplained).toMatchObject({
      waited: { jobs: 2 },
      besideIdleNodes: { jobs: 1 },
      askedForGpus: { jobs: 1, hours: 1990 / 3600 },
      meanDown: 0,
    })
    expect((await folder.cloister('calibrate', 'gpus.psv', ...fcfs)).stdout).toContain(
      '100.0 % of the hours beside idle nodes are of 1 job that asked for GPUs',
    )
    const run = ['simulate', '--trace', 'gpus.psv', ...MACHINE, '--policy', 'baseline', '--queue', 'fcfs']
    await folder.cloister(...run, '--outages', 'outages.ndjson', '--order', 'recorded', '--out', 'down.ndjson')
    // Job 3 waits for two nodes that are down: without these nodes, 7 of 8 nodes would have been idle all the time.
    const down = JSON.parse((await folder.cloister('calibrate', 'down.ndjson', ...fcfs, '--json')).stdout)
    expect(down.unexplained).toMatchObject({ waited: { jobs: 1 }, besideIdleNodes: { jobs: 0 }, outages: 3 })
    expect(down.unexplained.meanDown).toBeCloseTo((2900 + 1900) / 4000, 1)
  })

  it('diff says how near the waits of two runs come to the recorded waits', async () => {
    const run = ['simulate', '--trace', 'a.swf', ...MACHINE, '--policy', 'baseline', '--queue', 'fcfs', '--out']
    await folder.cloister(...run, 'submit.ndjson')
    await folder.cloister(...run, 'recorded.ndjson', '--order', 'recorded')
    const { stdout } = await folder.cloister('diff', 'submit.ndjson', 'recorded.ndjson')
    expect(stdout).toMatch(/^history and a +mean wait 0\.03 h recorded, 0\.00 h in the run; mean error 0\.03 h/m)
    const { history } = JSON.parse((await folder.cloister('diff', 'submit.ndjson', 'recorded.ndjson', '--json')).stdout)
    expect(history.a.meanAbsoluteError).toBe((10 + 400 + 20 + 0) / 4)
    expect(history.b.meanAbsoluteError).toBe((10 + 260 + 20) / 4)
  })

  it.each([
    [['--candidates', ' '], '--candidates: found no candidate'],
    [['--candidates', 'easy'], 'easy'],
    [['--candidates', 'fcfs/none-such'], 'none-such'],
    [['--out', 'waits.png'], 'expected a name that ends in .svg'],
  ])('calibrate %j prints the problem', async (args, problem) => {
    expect(complaint(await calibrate(...args))).toContain(problem)
  })

  it('regression: calibrate ended with a stack trace if no job started, and counted jobs without a start as waits of 0 s', async () => {
    const none = await folder.cloister('calibrate', 'a.swf', '--topology', 'pgft:2;1,1;1,1;1,1', '--candidates', 'fcfs')
    expect(complaint(none)).toContain('fcfs: no job of a.swf starts on pgft:2;1,1;1,1;1,1, a machine of 1 node')
    const two = ['--topology', 'pgft:2;1,2;1,1;1,1', '--candidates', 'fcfs', '--by', 'size', '--json']
    const { candidates, groups } = JSON.parse((await folder.cloister('calibrate', 'a.swf', ...two)).stdout)
    expect(candidates[0].jobs).toBe(1)
    expect(groups.map(({ simulated: [mean] }: { simulated: Array<number | null> }) => mean)).toEqual([0, null, null])
  })

  it('a trace without recorded waits is refused by calibrate and by the order recorded, also if it is resampled', async () => {
    const synthetic = await folder.cloister('calibrate', 'synth:4:20', ...MACHINE)
    expect(complaint(synthetic)).toContain('no job of the trace has a recorded start')
    const simulate = ['simulate', ...MACHINE, '--policy', 'baseline', '--order', 'recorded']
    expect(complaint(await folder.cloister(...simulate, '--trace', 'synth:4:20'))).toContain(
      'no job of the trace has a recorded start',
    )
    expect(complaint(await folder.cloister(...simulate, '--trace', 'a.swf', '--resample', 'users:1'))).toContain(
      'a resampled trace has no recorded starts',
    )
  })

  const kth = join(import.meta.dirname, '../../../../shared/traces/swf/KTH-SP2-1996-2.1-cln.swf.gz')
  it.skipIf(!existsSync(kth))(
    'KTH-SP2 in the recorded order has the recorded waits within half an hour, at a rank correlation above 0.8',
    async () => {
      const machine = ['--topology', 'pgft:2;10,10;1,10;1,1', '--candidates', 'easy:50 fcfs/recorded', '--json']
      const { candidates } = JSON.parse((await folder.cloister('calibrate', kth, ...machine)).stdout)
      expect(candidates[0].rankCorrelation).toBeLessThan(0.3)
      expect(candidates[1].rankCorrelation).toBeGreaterThan(0.8)
      expect(candidates[1].meanAbsoluteError).toBeLessThan(1800)
    },
  )
})
