import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'
import { madeSwf } from './made-swf.ts'

/** Writes Slurm's accounting of a simulated machine with killed jobs, nodes that go down, and jobs that run again. */
async function history(folder: Folder, ...options: ReadonlyArray<string>): Promise<void> {
  folder.write(
    'outages.ndjson',
    '{"t":30,"type":"down","nodes":"0-5"}\n{"t":200,"type":"up","nodes":"0-5"}\n{"t":240,"type":"down","nodes":"7"}\n',
  )
  folder.write('jobs.swf', madeSwf)
  const run = ['--trace', 'jobs.swf', '--topology', 'radix:6', '--policy', 'jigsaw', '--estimates', 'requested']
  const made = await folder.cloister('simulate', ...run, ...options, '--out', 'run.ndjson')
  if (made.code !== 0) throw new Error(made.stderr)
  const exported = await folder.cloister('export', 'run.ndjson', '--to', 'sacct', '--out', 'sacct.psv')
  if (exported.code !== 0) throw new Error(exported.stderr)
}

const load = ['import', 'slurm', '--jobs', 'sacct.psv', '--topology', 'radix:6', '--out', 'real.ndjson'] as const

/** Returns the starts of jobs in a log: time, job and nodes. */
function starts(folder: Folder, log: string): ReadonlyArray<string> {
  return readFileSync(join(folder.path, log), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"allocate"'))
    .map((line) => JSON.parse(line) as { t: number; job: string; nodes: string })
    .map(({ t, job, nodes }) => `${t} ${job} ${nodes}`)
    .sort()
}

describe('import slurm', () => {
  it.each([
    ['jobs without failures', []],
    ['failed nodes, and jobs that are queued again', ['--outages', 'outages.ndjson', '--requeue']],
    ['failed nodes, and jobs that are not queued again', ['--outages', 'outages.ndjson']],
  ])('import slurm gets the allocations of a log back from the accounting of the run: %s', async (_, options) => {
    const folder = new Folder()
    await history(folder, ...options)
    const report = await folder.json(...load)
    expect(report).toMatchObject({ jobs: 60, leftOut: {}, shared: { runs: 0 }, startsOnDown: 0 })
    expect(starts(folder, 'real.ndjson')).toEqual(starts(folder, 'run.ndjson'))
    const [real, run] = ['real.ndjson', 'run.ndjson'].map((log): Record<string, number> =>
      JSON.parse(readFileSync(join(folder.path, log), 'utf8').split('\n').at(-3)!),
    )
    expect([real['submitted'], real['started'], real['finished'], real['killed']]).toEqual([
      run['submitted'],
      run['started'],
      run['finished'],
      run['killed'],
    ])
  })

  it('import slurm counts the rows with contradictory fields, and names the line of the first of these rows', async () => {
    const folder = new Folder()
    const columns =
      'JobID|Submit|Eligible|Start|End|Elapsed|ElapsedRaw|TimelimitRaw|NNodes|State|NodeList|AllocTRES|AllocCPUS|NCPUS'
    const rows = [
      '1|100|100|100|160|00:01:00|60|5|2|COMPLETED|n[0-1]|cpu=8,node=2|8|8',
      '2|100|100|200|260|00:01:00|61|5|2|COMPLETED|n[2-3]|cpu=8,node=2|8|16',
      '3|100|100|300|360|00:00:30|30|5|2|COMPLETED|n[4-6]|cpu=9,node=3|8|8',
      '4|100|100|400|390|00:00:00|0|5|1|FAILED|n7||0|4',
      '5|500|500|450|510|00:01:00|60|5|1|RUNNING|n8|node=1|4|4',
    ]
    folder.write('sacct.psv', [columns, ...rows, ''].join('\n'))
    const names = Array.from({ length: 54 }, (_, node) => `n${node}`).join('\n')
    folder.write('names', `${names}\n`)
    const { code, stdout, stderr } = await folder.cloister(
      ...load.map((word) => (word === 'radix:6' ? 'radix:6@names' : word)),
      '--json',
    )
    expect(code).toBe(0)
    const kinds = {
      'Elapsed longer than from Start to End': 1,
      'Elapsed and ElapsedRaw differ': 1,
      'Elapsed shorter than from Start to End': 1,
      'NNodes differs from the number of names in NodeList': 1,
      'NNodes and AllocTRES differ': 1,
      'AllocCPUS and NCPUS differ': 1,
      'AllocCPUS and AllocTRES differ': 1,
      'End before Start': 1,
      'Start before Submit': 1,
      'End of a job that is RUNNING': 1,
    }
    expect(JSON.parse(stdout).contradictions).toEqual({ rows: 4, kinds, firstLine: 3 })
    expect(stderr).toContain(
      '4 rows of the accounting have contradictory fields: 1 Elapsed longer than from Start to End, ',
    )
    expect(stderr).toContain('; the first is line 3; the import uses Start, End and NodeList unchanged')
    expect((await folder.cloister('trace', 'info', 'sacct.psv')).stdout).toMatch(
      /^contradictions +4 rows of the accounting have contradictory/m,
    )
  })

  it('import slurm writes a log that every command can read', async () => {
    const folder = new Folder()
    await history(folder)
    expect((await folder.cloister(...load)).code).toBe(0)
    const audit = await folder.json('audit', 'real.ndjson')
    expect(audit).toMatchObject({ ok: true, violations: [], checked: { 'node-exclusive': expect.any(Number) } })
    expect(await folder.json('metrics', 'real.ndjson')).toMatchObject({ policy: 'slurm@observed' })
    expect((await folder.cloister('metrics', 'real.ndjson')).stdout).toMatch(/^queue +external$/m)
    expect((await folder.cloister('state', 'real.ndjson', '--at', '100')).stdout).toMatch(/running +\d+ jobs/)
    expect((await folder.cloister('diff', 'run.ndjson', 'real.ndjson')).stdout).toContain('same')
    const whatIf = ['--topology', 'radix:6', '--policy', 'baseline', '--out', 'other.ndjson']
    expect((await folder.cloister('simulate', '--trace', 'real.ndjson', ...whatIf)).code).toBe(0)
    expect((await folder.cloister('explain', 'real.ndjson', '--job', '40')).stdout).toMatch(/started +\d+ s/)
    const rerun = await folder.cloister('rerun', 'real.ndjson', '--policy', 'jigsaw')
    expect(rerun.stdout).toMatch(/^asked +jigsaw@.*in each state of the log by slurm@observed\nsame allocation +\d+\n/)
  })

  it('regression: explain and state --idle tell of an imported log what the number of free nodes shows', async () => {
    const folder = new Folder()
    await history(folder, '--arrivals', 'zero')
    expect((await folder.cloister(...load)).code).toBe(0)
    const lines = readFileSync(join(folder.path, 'real.ndjson'), 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { type: string; job: string; t: number })
    const came = new Map(events.flatMap(({ type, job, t }) => (type === 'submit' ? [[job, t]] : [])))
    const { job } = events.find((each) => each.type === 'allocate' && each.t > came.get(each.job)!)!
    const { stdout } = await folder.cloister('explain', 'real.ndjson', '--job', job)
    expect(stdout).not.toContain('unknown')
    expect(stdout).toMatch(/^(too few free nodes|enough nodes were free; the log has no reason) /m)
    expect((await folder.cloister('state', 'real.ndjson', '--at', '100', '--idle')).code).toBe(0)
    const idle = ['state', 'real.ndjson', '--at', '100', '--idle', '--policy', 'baseline'] as const
    expect(complaint(await folder.cloister(...idle))).toContain('--policy is not needed: this log is of a real machine')
    expect(complaint(await folder.cloister('explain', 'real.ndjson', '--job', '12_3'))).toContain('JobIDRaw')
  })

  it('import --anonymise replaces names of people by the same digests in every file, and keeps node-hours of each user', async () => {
    const folder = new Folder()
    await history(folder)
    const salt = ['--anonymise', 'known to us alone']
    await folder.json(...load)
    await folder.json(...load.slice(0, -1), 'other.ndjson', ...salt)
    const users = (log: string): ReadonlyArray<string> =>
      readFileSync(join(folder.path, log), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"type":"submit"'))
        .map((line) => (JSON.parse(line) as { user: string }).user)
    const [real, other] = [users('real.ndjson'), users('other.ndjson')]
    expect(other.every((user) => /^user-[0-9a-f]{12}$/.test(user))).toBe(true)
    expect(new Set(real.map((user, at) => `${user} ${other[at]}`)).size).toBe(new Set(real).size)

    const run = ['--trace', 'real.ndjson', '--topology', 'radix:6', '--policy', 'baseline']
    await folder.json('simulate', ...run, '--out', 'again.ndjson', ...salt)
    expect(new Set(users('again.ndjson'))).toEqual(new Set(other))
    for (const to of ['sacct', 'csv', 'chrome']) {
      await folder.json('export', 'real.ndjson', '--to', to, '--out', `${to}.a`, ...salt)
      await folder.json('export', 'other.ndjson', '--to', to, '--out', `${to}.b`)
      expect(readFileSync(join(folder.path, `${to}.a`))).toEqual(readFileSync(join(folder.path, `${to}.b`)))
    }
    const converted = await folder.cloister('trace', 'convert', 'real.ndjson', ...salt)
    const again = await folder.cloister('trace', 'convert', 'sacct.psv', ...salt)
    const numbers = (swf: string): ReadonlyArray<string> =>
      swf.split('\n').flatMap((line) => (/^ *\d/.test(line) ? [line.trim().split(/ +/)[11]] : []))
    expect(numbers(converted.stdout)).toEqual(numbers(again.stdout))
    expect(new Set(numbers(converted.stdout)).size).toBe(new Set(real).size)

    const groups = async (log: string): Promise<unknown> => {
      const { groups: found } = (await folder.json('metrics', log, '--by', 'user')) as {
        readonly groups: ReadonlyArray<{ readonly group: string }>
      }
      return found.map((figures) => ({ ...figures, group: undefined }))
    }
    expect(await groups('other.ndjson')).toEqual(await groups('real.ndjson'))
    expect((await folder.cloister('metrics', 'real.ndjson', '--by', 'user')).stdout).toMatch(
      /^user in real\.ndjson +jobs/m,
    )

    expect(complaint(await folder.cloister('simulate', ...run, '--filter', 'user=3', ...salt))).toContain(
      'cannot hide the names in the filter user=3',
    )
    expect(complaint(await folder.cloister(...load, '--force', '--anonymise', 'short'))).toContain(
      'at least 8 characters that nobody can guess',
    )
  })

  it('import, explain, metrics, export and simulate keep QOS, reservation, priority, GPUs, arrays and starters', async () => {
    const folder = new Folder()
    const names =
      'JobID|JobIDRaw|Submit|Start|End|NNodes|State|Partition|QOS|Reservation|Priority|Flags|NodeList|ReqTRES'
    folder.write(
      'sacct.psv',
      [
        names,
        '7_1|8|100|100|400|4|COMPLETED|gpu|high|smith-course|4294|SchedBackfill|node[0-3]|gres/gpu=16',
        '7_2|9|100|400|500|4|COMPLETED|gpu|low||17|SchedMain|node[0-3]|gres/gpu=16',
        '',
      ].join('\n'),
    )
    expect(await folder.cloister(...load)).toMatchObject({ code: 0 })
    const accounting =
      'queue gpu, QOS high, advance reservation smith-course, 16 GPUs, priority 4,294, task 1 of array 7'
    const explained = await folder.cloister('explain', 'real.ndjson', '--job', '8')
    expect(explained.stdout).toContain(`accounting  ${accounting}\n`)
    expect(explained.stdout).toMatch(/^started .*, by Slurm's backfilling, with 16 GPUs$/m)
    const inJson = JSON.parse((await folder.cloister('explain', 'real.ndjson', '--job', '9', '--json')).stdout)
    expect(inJson).toMatchObject({ accounting: { queue: 'gpu', qos: 'low', priority: 17, gpus: 16, array_task: 2 } })
    expect(inJson.ends).toMatchObject([{ startedBy: 'main', gpus: 16 }])
    const measured = await folder.cloister('metrics', 'real.ndjson', '--by', 'qos', '--where', 'gpus>8', '--json')
    expect(JSON.parse(measured.stdout)).toMatchObject({
      backfilled: 0.5,
      groups: [{ group: 'high' }, { group: 'low' }],
    })
    expect(await folder.cloister('export', 'real.ndjson', '--out', 'jobs.ndjson')).toMatchObject({ code: 0 })
    const [row] = readFileSync(join(folder.path, 'jobs.ndjson'), 'utf8').split('\n', 1)
    expect(JSON.parse(row)).toMatchObject({
      qos: 'high',
      advance_reservation: 'smith-course',
      priority: 4294,
      gpus: 16,
      array_id: '7',
      array_task: 1,
      started_by: 'backfill',
    })
    const again = ['simulate', '--trace', 'real.ndjson', '--topology', 'radix:6', '--policy', 'baseline']
    expect(await folder.cloister(...again, '--out', 'again.ndjson')).toMatchObject({ code: 0 })
    expect((await folder.cloister('explain', 'again.ndjson', '--job', '8')).stdout).toContain(accounting)
    expect(await folder.cloister(...load, '--force', '--anonymise', 'a salt of ours')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder.path, 'real.ndjson'), 'utf8')).not.toContain('smith')
    expect(readFileSync(join(folder.path, 'real.ndjson'), 'utf8')).toContain('"qos":"qos-')
    folder.write('sacct.psv', readFileSync(join(folder.path, 'sacct.psv'), 'utf8').replace('4294', 'first'))
    expect(complaint(await folder.cloister(...load, '--force'))).toContain(
      'sacct.psv, line 2, field Priority: found "first", expected a whole number',
    )
  })

  it('import --shared refuses or merges jobs that share nodes, or leaves out the later job', async () => {
    const folder = new Folder()
    const row = (id: number, start: number, end: number, nodes: string): string =>
      `${id}|${id}|1700000000|1700000000|${1_700_000_000 + start}|${1_700_000_000 + end}|${end - start}|1|COMPLETED|${nodes}`
    folder.write(
      'sacct.psv',
      [
        'JobID|JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|NNodes|State|NodeList',
        row(1, 0, 100, 'node0'),
        row(2, 50, 150, 'node[0-1]'),
        row(3, 0, 20, 'node1'),
        row(4, 150, 200, 'node0'),
        row(5, 0, 10, 'node9'),
        row(6, 0, 10, 'login'),
        '',
      ].join('\n'),
    )
    expect(complaint(await folder.cloister(...load))).toContain(
      'sacct.psv: found jobs 1 and 2 both on node0 at Unix time 1700000050, expected one job on a node at a time; --shared merge joins runs on exactly the same nodes into one job',
    )
    expect((await folder.cloister('trace', 'info', 'sacct.psv')).stdout).toMatch(
      /^shared nodes +2 jobs; the first: 1 and 2 on node0$/m,
    )
    expect(await folder.json(...load, '--shared', 'skip')).toMatchObject({
      jobs: 4,
      shared: { runs: 2, left: 1 },
      leftOut: { 'runs on nodes that the machine does not have': 1 },
      unknownNode: 'login',
    })
    expect(starts(folder, 'real.ndjson')).toEqual(['0 1 0', '0 3 1', '0 5 9', '150 4 0'])
    // Job 2 also ran on node1, on which job 1 never ran, so that the two jobs cannot be merged.
    expect(complaint(await folder.cloister(...load, '--shared', 'merge', '--force'))).toContain(
      'sacct.psv: found a group of 2 runs, each of which shares nodes with another run of the group, among them jobs 1 (1 node, Unix time 1700000000 to 1700000100) and 2 (2 nodes',
    )
    folder.write(
      'sacct.psv',
      readFileSync(join(folder.path, 'sacct.psv'), 'utf8')
        .replace('node[0-1]', 'node0')
        .replace('|node1\n', '|node2\n'),
    )
    const merged = await folder.cloister(...load, '--shared', 'merge', '--force')
    expect(merged.stderr).toContain(
      '2 runs of jobs shared nodes; 1 of these runs are in the log, and 1 are left out or joined with others; the first: jobs 1 and 2 both on node0',
    )
    expect(starts(folder, 'real.ndjson')).toEqual(['0 1 0', '0 3 2', '0 5 9', '150 4 0'])
    expect(await folder.json('audit', 'real.ndjson')).toMatchObject({ ok: true })
    expect((await folder.cloister('explain', 'real.ndjson', '--job', '4')).stderr).toContain(
      'real.ndjson: the import left out or joined 1 run on shared nodes; "enough nodes were free" may count nodes',
    )
  })

  it('regression: text about an imported log has the names of its nodes, and clock times', async () => {
    const folder = new Folder()
    const switches = 'SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=gpu[1-2]\nSwitchName=s2 Nodes=gpu[3-4]\n'
    folder.write('topology.conf', switches)
    folder.write(
      'sacct.psv',
      'JobID|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList\n' +
        '1|1700000000|1700000000|1700000100|100|2|COMPLETED|gpu[2-3]\n2|1700000010|1700000100|1700000150|50|2|COMPLETED|gpu[3-4]\n',
    )
    const named = load.map((word) => (word === 'radix:6' ? 'slurm:topology.conf' : word))
    expect((await folder.cloister(...named)).code).toBe(0)
    const text = async (...words: ReadonlyArray<string>) => (await folder.cloister(...words)).stdout
    const explained = await text('explain', 'real.ndjson', '--job', 'longest', '--time', 'clock')
    expect(explained).toMatch(/^job +2, /m)
    expect(explained).toMatch(/^started +100 s, 2023-11-14 22:15:00 UTC \(record 6\) on nodes gpu\[3-4\]/m)
    expect(explained).toMatch(/^freed +by the end of job 1 \(record \d+\): nodes gpu3$/m)
    expect(explained).toMatch(/^2023-11-14 22:13:30 +2023-11-14 22:15:00 +1 +head/m)
    expect(await text('state', 'real.ndjson', '--at', '5', '--time', 'clock')).toMatch(
      /^ +1 +2 +2023-11-14 22:13:20 +- +gpu\[2-3\]$/m,
    )
    expect(await text('metrics', 'real.ndjson')).toMatch(/^wait, longest +90 s \(job 2\)$/m)
    await folder.json('plot', 'node-time', 'real.ndjson', '--csv', 'uses.csv')
    const uses =
      readFileSync(join(folder.path, 'uses.csv'), 'utf8') + readFileSync(join(folder.path, 'node-time.svg'), 'utf8')
    expect(uses).toContain('enough for a waiting job')
    expect(uses).not.toContain('fragmented')
    const viewed = await folder.cloister('view', 'real.ndjson', '--policy', 'slurm-tree')
    expect(complaint(viewed)).toContain('--policy is not needed: this log is of a real machine')
    const whatIf = ['--trace', 'real.ndjson', '--topology', 'slurm:topology.conf', '--policy', 'slurm-tree']
    await folder.json('simulate', ...whatIf, '--out', 'other.ndjson')
    expect(await text('diff', 'real.ndjson', 'other.ndjson')).toContain(' (nodes gpu[2-3])\n')
    expect(await text('rerun', 'real.ndjson', '--policy', 'slurm-tree')).toMatch(/nodes gpu\[1-2\]$/m)
    const simulated = await folder.cloister('simulate', ...whatIf, '--arrivals', 'zero', '--out', 'zero.ndjson')
    expect(simulated.code).toBe(0)
    expect((await folder.cloister('diff', 'real.ndjson', 'zero.ndjson')).stderr).toContain(
      'have the same ids, but other times or sizes: sacct (2 jobs) and real (2 jobs)',
    )
    expect(complaint(await folder.cloister('state', 'zero.ndjson', '--time', 'clock'))).toContain('has no epoch')
  })

  it('import --events makes nodes go down, but a node is up again when a job starts on the node', async () => {
    const folder = new Folder()
    folder.write(
      'sacct.psv',
      'JobID|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList\n' +
        '1|1700000000|1700000000|1700000050|50|2|NODE_FAIL|node[0-1]\n2|1700000000|1700000100|1700000150|50|1|COMPLETED|node1\n',
    )
    folder.write(
      'events.psv',
      'NodeName|TimeStart|TimeEnd|State\n|1699990000|1699990001|\nnode1|1700000050|1700000120|DOWN\nnode1|1700000110|1700000130|DRAIN\nnode5|1700000140|Unknown|DOWN\nlogin|1700000000|Unknown|DOWN\n',
    )
    expect(await folder.json(...load, '--events', 'events.psv')).toMatchObject({ startsOnDown: 1, unknownEvents: 1 })
    const records = readFileSync(join(folder.path, 'real.ndjson'), 'utf8').split('\n')
    expect(records.filter((line) => /"(down|up)"/.test(line)).map((line) => line.replace(/"seq":\d+,/, ''))).toEqual([
      '{"t":50,"type":"down","nodes":"1"}',
      '{"t":100,"type":"up","nodes":"1"}',
      '{"t":140,"type":"down","nodes":"5"}',
    ])
    expect(await folder.json('audit', 'real.ndjson')).toMatchObject({ ok: true })
    folder.write('events.psv', 'Node|From\n')
    expect(complaint(await folder.cloister(...load, '--events', 'events.psv', '--force'))).toContain(
      'events.psv, line 1: found the columns Node, From, expected the output of sacctmgr show event -P',
    )
  })

  it('import slurm writes no log for an input that cannot be imported, and prints what is allowed', async () => {
    const folder = new Folder()
    folder.write(
      'sacct.psv',
      'JobID|Submit|Start|End|ElapsedRaw|NNodes|State\n1|1700000000|1700000000|1700000050|50|2|COMPLETED\n',
    )
    expect(complaint(await folder.cloister(...load))).toContain(
      'found no run with a list of nodes in 1 rows, expected the fields NodeList, Start and End',
    )
    folder.write(
      'sacct.psv',
      'JobID|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList\n1|1700000000|1700000000|1700000050|50|2|COMPLETED|cn[1-2]\n',
    )
    expect(complaint(await folder.cloister(...load))).toContain(
      'field NodeList: found no job on nodes of the machine, but nodes such as cn[1-2], expected names of nodes of the topology, such as node0',
    )
    expect(await folder.cloister('audit', 'real.ndjson')).toMatchObject({ code: 2 })
  })
})
